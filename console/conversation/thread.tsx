// One chat with its messages, newest at the bottom, and the composer.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { MessageRecord } from '../../shared/contract/answers/message.ts'
import type { AnyEnvelope } from '../events.ts'
import { texts } from '../texts.ts'
import { Act, Button } from '../ui/act.tsx'
import { formatDay, Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { Bubble } from './bubble.tsx'
import { Composer, type Writing } from './composer.tsx'
import type { OpenChat } from './conversation-types.ts'
import { Forward } from './forward.tsx'
import { Portrait } from './portrait.tsx'
import { inOrder, nothing, withEvent, withRecords } from './timeline.ts'
import { shortId } from './words.ts'

const words = texts.conversation
const PAGE = 50

interface Props {
  client: InstanceClient
  chat: OpenChat
  /** The latest events of the stream, oldest first. */
  latest: AnyEnvelope[]
  /** Whether the stream is open. */
  live: boolean
  onClose: () => void
}

export function Thread({ client, chat, latest, live, onClose }: Props) {
  const [timeline, setTimeline] = useState(nothing)
  const [more, setMore] = useState(0)
  const [state, setState] = useState<{ loaded: boolean; error?: unknown }>({ loaded: false })
  const [writing, setWriting] = useState<Writing>({})
  const [forwarding, setForwarding] = useState<MessageRecord>()
  const bottom = useRef<HTMLDivElement>(null)
  const applied = useRef(0)

  const load = async (offset: number) => {
    const page = await client.findMessages({ chatid: chat.id, limit: PAGE, offset })
    setTimeline((before) => withRecords(before, page.messages))
    setMore(page.hasMore ? page.nextOffset : 0)
  }
  // Again when the stream opens: messages from before come with no event.
  useEffect(() => {
    load(0).then(
      () => setState({ loaded: true }),
      (error) => setState({ loaded: true, error }),
    )
  }, [live])
  useEffect(() => {
    const fresh = latest.filter(({ seq }) => seq > applied.current)
    applied.current = latest.at(-1)?.seq ?? applied.current
    setTimeline((before) => fresh.reduce((now, envelope) => withEvent(now, envelope, chat.id), before))
  }, [latest])

  const messages = useMemo(() => inOrder(timeline), [timeline])
  const last = messages.at(-1)?.messageid
  useEffect(() => bottom.current?.scrollIntoView({ block: 'end' }), [last, state.loaded])
  const kept = (record: MessageRecord) => setTimeline((before) => withRecords(before, [record]))
  const name = chat.name || shortId(chat.id)
  let today = ''
  return (
    <section class="thread" aria-label={name}>
      <header class="talk-head line still">
        <Button class="bare narrow-only" label={words.back} onClick={onClose}>
          ←
        </Button>
        <Portrait client={client} jid={chat.id} name={name} />
        <div class="grow">
          <h2 class="cut">{name}</h2>
          <p class="small quiet cut">{shortId(chat.id)}</p>
        </div>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <div class="thread-body" role="log" aria-label={words.messages} tabIndex={0}>
        {more > 0 && (
          <Act class="bare" act={() => load(more)}>
            {words.earlier}
          </Act>
        )}
        {!state.loaded && <Loading />}
        {state.error !== undefined && <Trouble error={state.error} />}
        {state.loaded && messages.length === 0 && <p class="empty quiet">{words.noMessages}</p>}
        {messages.map((message) => {
          const date = formatDay(message.messageTimestamp)
          const newDay = date !== today
          today = date
          return (
            <>
              {newDay && <p class="day">{date}</p>}
              <Bubble
                key={message.messageid}
                {...{ client, message }}
                quoted={timeline.messages.get(message.quoted)}
                reactions={[...(timeline.reactions.get(message.messageid)?.values() ?? [])]}
                onKept={kept}
                onReply={() => setWriting({ reply: message })}
                onEdit={() => setWriting({ edit: message })}
                onForward={() => setForwarding(message)}
              />
            </>
          )
        })}
        <div ref={bottom} />
      </div>
      <Composer {...{ client, chat, writing }} onKept={kept} onDone={() => setWriting({})} />
      {forwarding && (
        <Forward client={client} message={forwarding} onClose={() => setForwarding(undefined)} />
      )}
    </section>
  )
}
