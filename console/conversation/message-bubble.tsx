// One message with its content, its status and its actions.

import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { formatMentions, formatNumber } from '../formats.ts'
import { describeKind } from '../message-kind.ts'
import { texts } from '../texts.ts'
import { type ActionState, useAction } from '../ui/action-button.tsx'
import { ClockTime } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { MessageContent } from './bubble-content.tsx'
import type { BubbleProps } from './bubble-props.ts'
import { loadThreadParts } from './load-thread-parts.ts'
import { PendingNote } from './pending-note.tsx'
import { isPinnedNow } from './pinned-now.ts'
import { toHue } from './portrait.tsx'
import type { Reaction } from './timeline.ts'

const words = texts.conversation

export function MessageBubble(props: BubbleProps) {
  const { message, reactions } = props
  const isThere = message.status !== 'Deleted'
  const action = useAction()
  return (
    <article class={`bubble${message.fromMe ? ' mine' : ''}`}>
      <div class="bubble-card">
        <MessageBody {...props} />
        {isThere && reactions && reactions.size > 0 && <Reactions reactions={reactions} />}
        {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      </div>
      {isThere && <MenuOpener {...props} action={action} />}
    </article>
  )
}

/** The emoji, and by whom they are once the user asks. */
function Reactions({ reactions }: { reactions: ReadonlyMap<string, Reaction> }) {
  const [isOpen, setOpen] = useState(false)
  const given = [...reactions].map(([sender, { text, senderName, fromMe }]) => ({
    text,
    name: fromMe ? words.you : senderName || formatId(sender),
  }))
  const emoji = [...new Set(given.map(({ text }) => text))]
  const byWhom = given.map(({ text, name }) => `${text} ${name}`)
  return (
    <div class="reactions">
      <button type="button" aria-expanded={isOpen} title={byWhom.join('\n')} onClick={() => setOpen(!isOpen)}>
        <span class="unseen">{`${words.reactions}: ${byWhom.join(', ')}`}</span>
        <span aria-hidden="true">{emoji.join(' ')}</span>
        {given.length > 1 && (
          <span class="count" aria-hidden="true">
            {formatNumber(given.length)}
          </span>
        )}
      </button>
      {isOpen && (
        <ul class="reaction-list small">
          {byWhom.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function MessageBody({ client, message, quoted, outgoing, onMessageChange }: BubbleProps) {
  const { fromMe, isGroup, edited, late, status } = message
  const author = message.senderName || formatId(message.sender_pn || message.sender)
  return (
    <>
      {isGroup && !fromMe && (
        <p class="small strong author" style={{ '--hue': toHue(message.sender) }}>
          {author}
        </p>
      )}
      {message.quoted && status !== 'Deleted' && (
        <blockquote>{quoted ? describeQuoted(quoted) : words.earlierMessage}</blockquote>
      )}
      <MessageContent client={client} message={message} />
      <p class="bubble-foot small quiet">
        {late && <span title={words.lateHint}>{words.late}</span>}
        {edited && status !== 'Deleted' && <span>{words.edited}</span>}
        {isPinnedNow(message) && <BubbleMark icon="pin" label={words.pinned} />}
        {message.content.starred === true && <BubbleMark icon="star" label={words.starred} />}
        <ClockTime time={message.messageTimestamp} />
        {fromMe && TICKS[status] && <StatusTicks message={message} />}
      </p>
      {fromMe && status === 'Pending' && <PendingNote {...{ client, message, outgoing, onMessageChange }} />}
    </>
  )
}

const BubbleMark = ({ icon, label }: { icon: IconName; label: string }) => (
  <span role="img" aria-label={label} title={label}>
    <Icon name={icon} size={13} />
  </span>
)

const describeQuoted = (message: MessageRecord): string =>
  formatMentions(message) || words.kinds[message.mediaType] || describeKind(message) || words.earlierMessage

/** The button that opens the menu of actions on a message, which is loaded then. */
function MenuOpener(props: BubbleProps & { action: ActionState }) {
  const { action } = props
  const [menu, setMenu] = useState<Awaited<ReturnType<typeof loadThreadParts>>>()
  const loadMenu = () => action.run(async () => setMenu(await loadThreadParts()))
  return (
    <div class="bubble-actions">
      <button
        type="button"
        class="button bare"
        aria-expanded={menu !== undefined}
        aria-label={words.actions}
        disabled={action.busy}
        onClick={() => (menu ? setMenu(undefined) : void loadMenu())}
      >
        ⋯
      </button>
      {menu && <menu.MessageMenu {...props} onClose={() => setMenu(undefined)} />}
    </div>
  )
}

const TICKS: Record<string, string> = { Pending: '○', Sent: '✓', Delivered: '✓✓', Read: '✓✓', Failed: '!' }

const StatusTicks = ({ message: { status, error } }: { message: MessageRecord }) => (
  <span
    class={`ticks ${status.toLowerCase()}`}
    role="img"
    title={error}
    aria-label={words.status[status] || status}
  >
    {TICKS[status]}
  </span>
)
