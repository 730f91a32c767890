// One chat with its messages, newest at the bottom, and the composer.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Gap } from '@msgnet/shared/contract/coverage.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button, useAction } from '../ui/action-button.tsx'
import { CopyButton } from '../ui/elements.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { AnyEnvelope } from '../use-events.ts'
import { MessageContent } from './bubble-content.tsx'
import { Composer, type Draft } from './composer.tsx'
import { loadThreadParts } from './load-thread-parts.ts'
import { MessageLog } from './message-log.tsx'
import type { OpenChat } from './open-chat.ts'
import type { Outgoing } from './outgoing.ts'
import { Portrait } from './portrait.tsx'
import { PresenceLine, PresenceNotes, PresenceSwitch } from './presence-line.tsx'
import { useFileDrop } from './use-file-drop.ts'
import type { ChatPresence } from './use-presence.ts'
import { useTimeline } from './use-timeline.ts'

const words = texts.conversation

interface Props {
  client: InstanceClient
  chat: OpenChat
  /** The latest events of the stream, oldest first. */
  latest: AnyEnvelope[]
  /** Whether the stream is open. */
  live: boolean
  /** Of the account's messages. */
  gaps: readonly Gap[]
  outgoing: Outgoing
  presence: ChatPresence
  /** The id of the message that is shown first; empty for the newest. */
  target: string
  /** The address of the chat with this message shown. */
  toMessageHash: (message: MessageRecord) => string
  onSearch: () => void
  /** Undefined when no message is unread. */
  onMarkRead: (() => Promise<void>) | undefined
  onClose: () => void
}

export function ChatThread(props: Props) {
  const { client, chat, outgoing } = props
  const state = useTimeline({ client, chatid: chat.id, latest: props.latest, live: props.live })
  const [draft, setDraft] = useState<Draft>({})
  const [isGalleryOpen, setGalleryOpen] = useState(false)
  const [forwarding, setForwarding] = useState<MessageRecord>()
  const { messages } = state.timeline
  const { entries, waiting } = useSends(outgoing, chat.id, state)
  const { drop, target } = useFileDrop()
  const { value: later } = useLoad(loadThreadParts, [])
  const timer = later && <later.TimerChoice {...props} />
  const scheduledTurn = [
    props.live,
    props.latest.findLast(isOfSend)?.seq,
    ...entries.flatMap(({ key, record }) => (record?.status === 'Scheduled' ? key : [])),
  ].join()
  return (
    <section class="thread" aria-label={chat.name || formatId(chat.id)} {...target}>
      <ThreadHeader {...props} {...{ timer, messages }} onGallery={() => setGalleryOpen(true)} />
      <MessageLog
        {...{ client, state, waiting, outgoing }}
        gaps={props.gaps}
        target={props.target}
        unreadCount={chat.unreadCount}
        onDraft={setDraft}
        onForward={setForwarding}
      >
        {later && <later.ScheduledMessages {...{ client, outgoing }} chatid={chat.id} turn={scheduledTurn} />}
      </MessageLog>
      <Composer
        {...{ client, chat, draft, drop }}
        drafts={outgoing.drafts}
        onSend={(label, request) => outgoing.sendMessage(chat.id, label, request)}
        onMessageChange={state.storeMessage}
        onDone={() => setDraft({})}
      />
      {isGalleryOpen && later && (
        <later.GalleryDialog
          {...{ client, toMessageHash: props.toMessageHash }}
          chatid={chat.id}
          renderFile={(message) => <MessageContent {...{ client, message }} />}
          onClose={() => setGalleryOpen(false)}
        />
      )}
      {forwarding && later && (
        <later.ForwardDialog client={client} message={forwarding} onClose={() => setForwarding(undefined)} />
      )}
    </section>
  )
}

/** Of this chat, and those of them that are not among its messages yet. */
function useSends(outgoing: Outgoing, chatid: string, state: ReturnType<typeof useTimeline>) {
  const entries = outgoing.entries.filter(({ chatid: of }) => of === chatid)
  // A message that was sent becomes one of the timeline, with the status that the network sends later.
  useEffect(() => {
    for (const { key, record } of entries) {
      // One that is scheduled stays until it is in the list of those.
      if (!record || record.status === 'Scheduled') continue
      state.storeMessage(record)
      outgoing.discardMessage(key)
    }
  }, [outgoing.entries])
  // A stored message shows itself what is known of its outcome.
  const { messages } = state.timeline
  const stored = useMemo(
    () => new Map([...messages.values()].map(({ track_id, status }) => [track_id, status])),
    [messages],
  )
  const waiting = entries.filter(({ key, state }) => state === 'refused' || !stored.has(key))
  useEffect(() => {
    for (const { key, state } of entries)
      if (state === 'unknown' && !['Pending', undefined].includes(stored.get(key)))
        outgoing.discardMessage(key)
  }, [stored, outgoing.entries])
  return { entries, waiting }
}

/** What was scheduled may have been sent, or have failed. */
const isOfSend = (envelope: AnyEnvelope): boolean =>
  envelope.EventType === 'messages_update' && envelope.type === 'SendReceipt'

type HeaderProps = Props & {
  messages: ReadonlyMap<string, MessageRecord>
  timer: ComponentChildren
  /** Opens the pictures and videos of the chat. */
  onGallery: () => void
}

function ThreadHeader({ chat, timer, presence, messages, onMarkRead, ...on }: HeaderProps) {
  const name = chat.name || formatId(chat.id)
  const action = useAction()
  const gallery = { type: 'button', title: words.gallery.title, onClick: on.onGallery } as const
  return (
    <>
      <header class="talk-head line still">
        <Button class="bare narrow-only" label={words.back} onClick={on.onClose}>
          <Icon name="back" />
        </Button>
        <button {...gallery} class="picture">
          <Portrait client={on.client} jid={chat.id} name={name} />
        </button>
        <div class="grow">
          <h2>
            <button {...gallery} class="cut">
              {name}
            </button>
          </h2>
          <PresenceLine
            chat={chat}
            people={presence.listPeople(chat.id)}
            findName={(id) => findMemberName(messages, id)}
            otherwise={chat.name && formatId(chat.id)}
          />
        </div>
        {chat.id.endsWith('@s.msgnet.net') && (
          <span class="wide-only">
            <CopyButton text={`+${chat.id.split('@')[0]}`} label={words.copyNumber}>
              <Icon name="copy" />
            </CopyButton>
          </span>
        )}
        <Button class="bare" label={words.hits.inChat} onClick={on.onSearch}>
          <Icon name="search" />
        </Button>
        {timer}
        <PresenceSwitch {...{ chat, name, presence, action }} />
        {onMarkRead && (
          <span title={words.markReadHint}>
            <ActionButton class="mark-read" label={words.markRead} onAction={onMarkRead}>
              <Icon name="check" />
              <span>{words.markRead}</span>
            </ActionButton>
          </span>
        )}
      </header>
      <PresenceNotes {...{ chat, presence, action }} />
    </>
  )
}

/** By the last message of this person in the chat; else the number. */
function findMemberName(messages: ReadonlyMap<string, MessageRecord>, id: string): string {
  const written = [...messages.values()].reverse()
  const known = written.find(({ sender, sender_pn, sender_lid }) =>
    [sender, sender_pn, sender_lid].includes(id),
  )
  return known?.senderName || formatId(id)
}
