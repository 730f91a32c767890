// The messages of the open chat as a log that scrolls: days, the unread ones, what is on its way, and the ways to earlier and to the newest.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Gap } from '@msgnet/shared/contract/coverage.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatDay, formatNumber } from '../formats.ts'
import { useGapLines } from '../gap-lines.tsx'
import { texts } from '../texts.ts'
import { type ActionState, Button, useAction } from '../ui/action-button.tsx'
import { Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { type RowView, useRowWindow } from '../ui/row-window.ts'
import type { Draft } from './composer.tsx'
import { loadThreadParts } from './load-thread-parts.ts'
import { MessageBubble } from './message-bubble.tsx'
import type { Outgoing, OutgoingMessage } from './outgoing.ts'
import { OutgoingBubble } from './outgoing-bubble.tsx'
import { sortMessages } from './timeline.ts'
import type { TimelineState } from './use-timeline.ts'

const words = texts.conversation
/** Rows from the end of what was read at which more is requested. */
const READ_AHEAD = 25
/** Pixels above a message that is jumped to. */
const TARGET_TOP = 90
/** Pages that a jump to the first unread message reads at most: as many as are held at a time. */
const MAX_JUMP_PAGES = 19

interface Props {
  client: InstanceClient
  state: TimelineState
  gaps: readonly Gap[]
  /** Of the messages that were received. */
  unreadCount: number
  /** Messages that are not stored yet. */
  waiting: OutgoingMessage[]
  outgoing: Outgoing
  onDraft: (draft: Draft) => void
  onForward: (message: MessageRecord) => void
  /** The id of the message that is shown and marked, wherever it is in the chat. */
  target: string
  /** Below all messages. */
  children?: ComponentChildren
}

export function MessageLog(props: Props) {
  const { state, waiting, unreadCount } = props
  const { isLoaded, error } = state
  const messages = useShownMessages(state, waiting)
  const drawGaps = useGapLines(props.gaps, messages, state)
  const keys = useMemo(() => messages.map(({ messageid }) => messageid), [messages])
  const { rows, view, reading } = useReading(state, keys)
  useTarget(props, keys, rows.moveToRow, reading)
  const moveToNewest = useNewest(state, rows.moveToEnd, waiting)
  const firstUnread = findFirstUnread(messages, state.newest === 0 ? unreadCount : 0)
  return (
    <div class="thread-frame">
      <LogNotes
        {...{ state, keys, view, unreadCount, firstUnread, reading }}
        newest={messages.at(-1)}
        onMove={rows.moveToRow}
        onNewest={moveToNewest}
        topMessage={view.isAtEnd || view.first === 0 ? undefined : messages[view.first]}
      />
      <div
        class="thread-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={words.messages}
        ref={rows.place}
      >
        <div class="thread-rows" ref={rows.content}>
          {!isLoaded && <Loading />}
          {error !== undefined && <ErrorNote error={error} />}
          {isLoaded && keys.length + waiting.length === 0 && <p class="empty quiet">{words.noMessages}</p>}
          <div style={{ height: `${rows.before}px` }} />
          {messages.slice(rows.first, rows.last).map((message, index) => (
            <LogRow
              key={message.messageid}
              {...props}
              message={message}
              before={messages[rows.first + index - 1]}
              passed={drawGaps(message.messageid)}
              unread={message.messageid === firstUnread ? unreadCount : 0}
            />
          ))}
          <div style={{ height: `${rows.after}px` }} />
          {isLoaded && drawGaps()}
          {waiting.map((entry) => (
            <OutgoingBubble key={entry.key} entry={entry} outgoing={props.outgoing} />
          ))}
          {props.children}
        </div>
      </div>
    </div>
  )
}

/** Shows the message that was asked for: once, and from then on the reader moves freely. */
function useTarget(
  { client, state, target }: Props,
  keys: readonly string[],
  onMove: (key: string, top: number) => void,
  reading: ActionState,
) {
  const shown = useRef('')
  const asked = useRef('')
  useEffect(() => {
    if (!target || !state.isLoaded || shown.current === target) return
    if (keys.includes(target)) {
      shown.current = target
      onMove(target, TARGET_TOP)
    } else if (!reading.busy && asked.current !== target) {
      asked.current = target
      void reading.run(async () => state.showPage(await (await loadThreadParts()).loadAround(client, target)))
    }
  }, [target, state.isLoaded, keys, reading.busy])
}

function useNewest(state: TimelineState, moveToEnd: () => void, waiting: readonly OutgoingMessage[]) {
  const moveToNewest = async () => {
    await state.showNewest()
    moveToEnd()
  }
  // What the user has sent is shown, wherever they were.
  const lastSent = waiting.at(-1)?.key
  useEffect(() => {
    if (lastSent) void moveToNewest()
  }, [lastSent])
  return moveToNewest
}

function useShownMessages(state: TimelineState, waiting: readonly OutgoingMessage[]): MessageRecord[] {
  // A refused message is shown by its entry, which says why and can be sent again.
  const refused = waiting.filter((entry) => entry.state === 'refused').map(({ key }) => key)
  return useMemo(
    () => sortMessages(state.timeline).filter(({ track_id }) => !refused.includes(track_id)),
    [state.timeline, `${refused}`],
  )
}

/** Draws what the reader sees, and reads the next page before they are at the edge of what is there. */
function useReading(state: TimelineState, keys: readonly string[]) {
  const reading = useAction()
  const [view, setView] = useState<RowView>({ first: 0, last: 0, topKey: undefined, isAtEnd: true })
  const readMore = (next: RowView) => {
    state.isAtEnd.current = next.isAtEnd
    setView((before) => (isSameView(before, next) ? before : next))
    if (reading.busy || reading.error !== undefined) return
    if (next.first < READ_AHEAD && state.hasEarlier) void reading.run(state.loadEarlier)
    else if (next.last > keys.length - READ_AHEAD && state.newest > 0) void reading.run(state.loadLater)
  }
  const rows = useRowWindow({ keys, isComplete: state.newest === 0, onMove: readMore })
  return { rows, view, reading }
}

const isSameView = (a: RowView, b: RowView): boolean =>
  a.first === b.first && a.last === b.last && a.isAtEnd === b.isAtEnd

/** The network counts unread messages from the newest; undefined when it is earlier than what was read. */
function findFirstUnread(messages: readonly MessageRecord[], unreadCount: number): string | undefined {
  let left = unreadCount
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    const message = messages[index]
    if (message && !message.fromMe && message.status !== 'Deleted' && --left === 0) return message.messageid
  }
  return undefined
}

interface LogRowProps extends Props {
  message: MessageRecord
  before: MessageRecord | undefined
  /** The gaps that begin between the two. */
  passed: ComponentChildren
  /** The number of unread messages, at the first of them. */
  unread: number
}

function LogRow({ client, state, outgoing, message, before, passed, unread, ...on }: LogRowProps) {
  const day = formatDay(message.messageTimestamp)
  return (
    <div class={`message-row${message.messageid === on.target ? ' found' : ''}`} data-key={message.messageid}>
      {(!before || formatDay(before.messageTimestamp) !== day) && <p class="day">{day}</p>}
      {passed}
      {unread > 0 && <p class="unread-line">{words.unreadLine(unread)}</p>}
      <MessageBubble
        {...{ client, message, outgoing }}
        quoted={state.timeline.messages.get(message.quoted)}
        reactions={state.timeline.reactions.get(message.messageid)}
        onMessageChange={state.storeMessage}
        onReply={() => on.onDraft({ reply: message })}
        onEdit={() => on.onDraft({ edit: message })}
        onForward={() => on.onForward(message)}
      />
    </div>
  )
}

interface NotesProps {
  state: TimelineState
  keys: readonly string[]
  view: RowView
  /** The first that is seen, unless its day stands above it. */
  topMessage: MessageRecord | undefined
  unreadCount: number
  firstUnread: string | undefined
  reading: ActionState
  newest: MessageRecord | undefined
  onMove: (key: string, top: number) => void
  onNewest: () => unknown
}

/** What stands above the log: the day of what is seen, an error of another page, and the ways to what is out of sight. */
function LogNotes({
  state,
  keys,
  view,
  topMessage,
  unreadCount,
  firstUnread,
  reading,
  ...moves
}: NotesProps) {
  const isUnreadAbove = firstUnread === undefined || keys.indexOf(firstUnread) < view.first
  const jump = useUnreadJump(state, firstUnread, reading, moves.onMove)
  const seen = useRef(0)
  if (view.isAtEnd) seen.current = state.arrived
  const arrived = Math.max(0, state.arrived - seen.current)
  return (
    <>
      <div class="log-notes">
        {reading.error !== undefined && <ErrorNote error={reading.error} onClose={reading.clearError} />}
        {reading.busy ? (
          <p class="day" role="status">
            {words.loadingMessages}
          </p>
        ) : (
          topMessage && <p class="day">{formatDay(topMessage.messageTimestamp)}</p>
        )}
        {unreadCount > 0 && isUnreadAbove && state.isLoaded && (
          <Button class="small-button jump" busy={jump.isRunning} onClick={jump.start}>
            <Icon name="up" size={14} /> {words.jumpToUnread(unreadCount)}
          </Button>
        )}
      </div>
      {!view.isAtEnd && (
        <div class="log-end">
          <Button class="small-button jump" label={words.toNewest} onClick={moves.onNewest}>
            <Icon name="down" size={16} />
            {arrived > 0 && <span class="count">{formatNumber(arrived)}</span>}
          </Button>
        </div>
      )}
      <LatestNote newest={moves.newest} />
    </>
  )
}

/** For screen readers: what has arrived since the chat was opened, because the log itself draws messages whenever it is scrolled. */
function LatestNote({ newest }: { newest: MessageRecord | undefined }) {
  const opened = useRef(newest?.messageid)
  opened.current ??= newest?.messageid
  const isNew = newest && !newest.fromMe && newest.messageid !== opened.current
  return (
    <p class="unseen" role="status">
      {isNew ? `${newest.senderName} ${newest.text}` : ''}
    </p>
  )
}

/** Reads earlier pages until the first unread message is there, and shows it. */
function useUnreadJump(
  state: TimelineState,
  firstUnread: string | undefined,
  reading: ActionState,
  onMove: NotesProps['onMove'],
) {
  const [pages, setPages] = useState(0)
  useEffect(() => {
    if (pages === 0) return
    const isMissing = firstUnread === undefined && reading.error === undefined
    if (isMissing && state.hasEarlier && pages <= MAX_JUMP_PAGES)
      void reading.run(state.loadEarlier).then(() => setPages(pages + 1))
    else {
      const [oldest] = state.timeline.messages.keys()
      const target = firstUnread ?? oldest
      if (target) onMove(target, TARGET_TOP)
      setPages(0)
    }
  }, [pages])
  const start = async () => {
    // The unread ones are counted from the newest.
    await state.showNewest()
    setPages(1)
  }
  return { isRunning: pages > 0, start }
}
