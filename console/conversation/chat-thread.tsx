// One chat with its messages, newest at the bottom, and the composer.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'
import { formatDay } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import type { AnyEnvelope } from '../use-events.ts'
import { Composer, type Draft } from './composer.tsx'
import { formatId } from './format-id.ts'
import { ForwardDialog } from './forward-dialog.tsx'
import { MessageBubble } from './message-bubble.tsx'
import type { OpenChat } from './open-chat.ts'
import type { Outgoing, OutgoingMessage } from './outgoing.ts'
import { OutgoingBubble } from './outgoing-bubble.tsx'
import { Portrait } from './portrait.tsx'
import { emptyTimeline, mergeEvent, mergeRecords, sortMessages } from './timeline.ts'

const words = texts.conversation
const PAGE = 50

interface Props {
  client: InstanceClient
  chat: OpenChat
  /** The latest events of the stream, oldest first. */
  latest: AnyEnvelope[]
  /** Whether the stream is open. */
  live: boolean
  outgoing: Outgoing
  /** Undefined when no message is unread. */
  onMarkRead: (() => Promise<void>) | undefined
  onClose: () => void
}

export function ChatThread(props: Props) {
  const { client, chat, onClose, onMarkRead, outgoing } = props
  const state = useTimeline(props)
  const [draft, setDraft] = useState<Draft>({})
  const [forwarding, setForwarding] = useState<MessageRecord>()
  const { storeMessage } = state
  const entries = outgoing.entries.filter(({ chatid }) => chatid === chat.id)
  // A message that was sent becomes one of the timeline, with the status that the network sends later.
  useEffect(() => {
    for (const { key, record } of entries) {
      if (!record) continue
      storeMessage(record)
      outgoing.discardMessage(key)
    }
  }, [outgoing.entries])
  const isStored = ({ messageid = '' }: OutgoingMessage) => state.timeline.messages.has(messageid)
  const waiting = entries.filter((entry) => !isStored(entry))
  return (
    <section class="thread" aria-label={chat.name || formatId(chat.id)}>
      <ThreadHeader {...{ client, chat, onClose, onMarkRead }} />
      <MessageLog {...{ client, state, waiting, outgoing }} onDraft={setDraft} onForward={setForwarding} />
      <Composer
        {...{ client, chat, draft }}
        onSend={(label, request) => outgoing.sendMessage(chat.id, label, request)}
        onMessageChange={storeMessage}
        onDone={() => setDraft({})}
      />
      {forwarding && (
        <ForwardDialog client={client} message={forwarding} onClose={() => setForwarding(undefined)} />
      )}
    </section>
  )
}

interface LogProps {
  client: InstanceClient
  state: ReturnType<typeof useTimeline>
  /** Messages that are not stored yet. */
  waiting: OutgoingMessage[]
  outgoing: Outgoing
  onDraft: (draft: Draft) => void
  onForward: (message: MessageRecord) => void
}

function MessageLog({ client, state, waiting, outgoing, onDraft, onForward }: LogProps) {
  const { timeline, more, loaded, error, loadPage, storeMessage } = state
  const bottom = useRef<HTMLDivElement>(null)
  const messages = useMemo(() => sortMessages(timeline), [timeline])
  const days = useMemo(() => messages.map((message) => formatDay(message.messageTimestamp)), [messages])
  const last = waiting.at(-1)?.key ?? messages.at(-1)?.messageid
  useEffect(() => bottom.current?.scrollIntoView({ block: 'end' }), [last, loaded])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <div class="thread-body" role="log" aria-label={words.messages} tabIndex={0}>
      {more > 0 && (
        <ActionButton class="bare" onAction={() => loadPage(more)}>
          {words.earlier}
        </ActionButton>
      )}
      {!loaded && <Loading />}
      {error !== undefined && <ErrorNote error={error} />}
      {loaded && messages.length + waiting.length === 0 && <p class="empty quiet">{words.noMessages}</p>}
      {messages.map((message, index) => (
        <>
          {days[index] !== days[index - 1] && <p class="day">{days[index]}</p>}
          <MessageBubble
            key={message.messageid}
            client={client}
            message={message}
            quoted={timeline.messages.get(message.quoted)}
            reactions={[...(timeline.reactions.get(message.messageid)?.values() ?? [])]}
            onMessageChange={storeMessage}
            onReply={() => onDraft({ reply: message })}
            onEdit={() => onDraft({ edit: message })}
            onForward={() => onForward(message)}
          />
        </>
      ))}
      {waiting.map((entry) => (
        <OutgoingBubble key={entry.key} entry={entry} outgoing={outgoing} />
      ))}
      <div ref={bottom} />
    </div>
  )
}

/** The messages of the chat: loaded page by page, and changed by the events of the stream. */
function useTimeline({ client, chat, latest, live }: Props) {
  const [timeline, setTimeline] = useState(emptyTimeline)
  const [more, setMore] = useState(0)
  const [state, setState] = useState<{ loaded: boolean; error?: unknown }>({ loaded: false })
  const applied = useRef(0)
  const loadPage = async (offset: number) => {
    const page = await client.findMessages({ chatid: chat.id, limit: PAGE, offset })
    setTimeline((before) => mergeRecords(before, page.messages, { isEarlier: offset > 0 }))
    setMore(page.hasMore ? page.nextOffset : 0)
  }
  // Again when the stream opens: there is no event for earlier messages.
  useEffect(() => {
    loadPage(0).then(
      () => setState({ loaded: true }),
      (error) => setState({ loaded: true, error }),
    )
  }, [live])
  useEffect(() => {
    const fresh = latest.filter(({ seq }) => seq > applied.current)
    applied.current = latest.at(-1)?.seq ?? applied.current
    setTimeline((before) => fresh.reduce((now, envelope) => mergeEvent(now, envelope, chat.id), before))
  }, [latest])
  const storeMessage = (record: MessageRecord) => setTimeline((before) => mergeRecords(before, [record]))
  return { timeline, more, loaded: state.loaded, error: state.error, loadPage, storeMessage }
}

type HeaderProps = Pick<Props, 'client' | 'chat' | 'onClose' | 'onMarkRead'>

function ThreadHeader({ client, chat, onClose, onMarkRead }: HeaderProps) {
  const name = chat.name || formatId(chat.id)
  return (
    <header class="talk-head line still">
      <Button class="bare narrow-only" label={words.back} onClick={onClose}>
        <Icon name="back" />
      </Button>
      <Portrait client={client} jid={chat.id} name={name} />
      <div class="grow">
        <h2 class="cut">{name}</h2>
        <p class="small quiet cut">{formatId(chat.id)}</p>
      </div>
      {onMarkRead && (
        <span title={words.markReadHint}>
          <ActionButton onAction={onMarkRead}>{words.markRead}</ActionButton>
        </span>
      )}
    </header>
  )
}
