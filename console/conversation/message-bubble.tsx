// One message with its content, its status and its actions.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'
import { texts } from '../texts.ts'
import { useAction } from '../ui/action-button.tsx'
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

export function MessageBubble({
  client,
  message,
  quoted,
  reactions,
  onMessageChange,
  onReply,
  onEdit,
  onForward,
}: Props) {
  const action = useAction()
  const [open, setOpen] = useState(false)
  const { fromMe, status, messageid: id, chatid: number } = message
  const deleted = status === 'Deleted'
  const runAction = (work: () => unknown) => {
    setOpen(false)
    void action.run(work)
  }
  const sendReaction = (text: string) =>
    runAction(async () => onMessageChange(await client.reactToMessage({ id, number, text })))
  const deleteMessage = () =>
    runAction(async () => {
      await client.deleteMessage({ id })
      onMessageChange({ ...message, status: 'Deleted' })
    })
  return (
    <article class={`bubble${fromMe ? ' mine' : ''}`}>
      <div class="bubble-card">
        {message.isGroup && !fromMe && (
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
          {message.edited && !deleted && <span>{words.edited}</span>}
          <ClockTime time={message.messageTimestamp} />
          {fromMe && <StatusTicks message={message} />}
        </p>
        {reactions.length > 0 && (
          <p class="reactions">
            {reactions.map((emoji, index) => (
              <span key={`${emoji}${index}`}>{emoji}</span>
            ))}
          </p>
        )}
        {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      </div>
      {!deleted && (
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
              <div class="line still">
                {EMOJI.map((emoji) => (
                  <button
                    type="button"
                    class="button bare"
                    key={emoji}
                    aria-label={words.react(emoji)}
                    onClick={() => sendReaction(emoji)}
                  >
                    {emoji}
                  </button>
                ))}
                <button
                  type="button"
                  class="button bare"
                  aria-label={words.unreact}
                  onClick={() => sendReaction('')}
                >
                  ∅
                </button>
              </div>
              {[
                { label: words.reply, act: onReply },
                { label: words.forward, act: onForward },
                ...(fromMe ? [{ label: words.edit, act: onEdit }] : []),
              ].map(({ label, act: work }) => (
                <button
                  type="button"
                  class="button bare"
                  key={label}
                  onClick={() => {
                    setOpen(false)
                    work()
                  }}
                >
                  {label}
                </button>
              ))}
              {fromMe && (
                <button type="button" class="button bare danger" onClick={deleteMessage}>
                  {words.remove}
                </button>
              )}
            </div>
          )}
        </div>
      )}
    </article>
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
