// One message with its content, its status and its actions.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'
import { texts } from '../texts.ts'
import { type ActionState, useAction } from '../ui/action-button.tsx'
import { ClockTime } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatId } from './format-id.ts'
import { MessageMedia } from './media-view.tsx'

const words = texts.conversation
const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']

interface Props {
  client: InstanceClient
  message: MessageRecord
  quoted: MessageRecord | undefined
  reactions: string[]
  onMessageChange: (record: MessageRecord) => void
  onReply: () => void
  onEdit: () => void
  onForward: () => void
}

export function MessageBubble(props: Props) {
  const { message, reactions } = props
  const action = useAction()
  return (
    <article class={`bubble${message.fromMe ? ' mine' : ''}`}>
      <div class="bubble-card">
        <MessageContent {...props} />
        {reactions.length > 0 && (
          <p class="reactions">
            {reactions.map((emoji, index) => (
              <span key={`${emoji}${index}`}>{emoji}</span>
            ))}
          </p>
        )}
        {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      </div>
      {message.status !== 'Deleted' && <MessageMenu {...props} action={action} />}
    </article>
  )
}

function MessageContent({ client, message, quoted }: Props) {
  const { fromMe, status, isGroup, edited } = message
  const deleted = status === 'Deleted'
  return (
    <>
      {isGroup && !fromMe && (
        <p class="small strong">{message.senderName || formatId(message.sender_pn || message.sender)}</p>
      )}
      {message.quoted && (
        <blockquote>{quoted ? quoted.text || quoted.mediaType : words.earlierMessage}</blockquote>
      )}
      {deleted ? (
        <p class="quiet">
          <em>{words.deleted}</em>
        </p>
      ) : (
        <>
          {message.type === 'media' && <MessageMedia client={client} message={message} />}
          <MessageText message={message} />
        </>
      )}
      <p class="bubble-foot small quiet">
        {edited && !deleted && <span>{words.edited}</span>}
        <ClockTime time={message.messageTimestamp} />
        {fromMe && <StatusTicks message={message} />}
      </p>
    </>
  )
}

/** The button that opens the menu of actions on a message. */
function MessageMenu(props: Props & { action: ActionState }) {
  const { client, message, action, onMessageChange } = props
  const [open, setOpen] = useState(false)
  const { fromMe, messageid: id } = message
  const closeAndCall = (work: () => void) => () => {
    setOpen(false)
    work()
  }
  const runAndClose = (work: () => unknown) => closeAndCall(() => void action.run(work))
  const deleteMessage = async () => {
    await client.deleteMessage({ id })
    onMessageChange({ ...message, status: 'Deleted' })
  }
  return (
    <div class="bubble-acts">
      <button
        type="button"
        class="button bare"
        aria-expanded={open}
        aria-label={words.actions}
        disabled={action.busy}
        onClick={() => setOpen(!open)}
      >
        ⋯
      </button>
      {open && (
        <div class="menu">
          <ReactionLine {...props} runAndClose={runAndClose} />
          <MenuButton label={words.reply} onClick={closeAndCall(props.onReply)} />
          <MenuButton label={words.forward} onClick={closeAndCall(props.onForward)} />
          {fromMe && <MenuButton label={words.edit} onClick={closeAndCall(props.onEdit)} />}
          {fromMe && <MenuButton danger label={words.remove} onClick={runAndClose(deleteMessage)} />}
        </div>
      )}
    </div>
  )
}

interface MenuButtonProps {
  label: string
  danger?: boolean
  onClick: () => void
}

const MenuButton = ({ label, danger, onClick }: MenuButtonProps) => (
  <button type="button" class={`button bare${danger ? ' danger' : ''}`} onClick={onClick}>
    {label}
  </button>
)

type ReactionLineProps = Props & { runAndClose: (work: () => unknown) => () => void }

function ReactionLine({ client, message, onMessageChange, runAndClose }: ReactionLineProps) {
  const { messageid: id, chatid: number } = message
  const sendReaction = (text: string) =>
    runAndClose(async () => onMessageChange(await client.reactToMessage({ id, number, text })))
  return (
    <div class="line still">
      {EMOJI.map((emoji) => (
        <button
          type="button"
          class="button bare"
          key={emoji}
          aria-label={words.react(emoji)}
          onClick={sendReaction(emoji)}
        >
          {emoji}
        </button>
      ))}
      <button type="button" class="button bare" aria-label={words.unreact} onClick={sendReaction('')}>
        ∅
      </button>
    </div>
  )
}

function MessageText({ message }: { message: MessageRecord }) {
  if (message.text) return <p class="bubble-text">{message.text}</p>
  if (message.type === 'media') return null
  return <p class="quiet">{message.messageType || message.type}</p>
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
