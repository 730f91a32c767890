// One message with its content, its status and its actions.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { MessageRecord } from '../../shared/contract/answers/message.ts'
import { texts } from '../texts.ts'
import { useDoing } from '../ui/act.tsx'
import { Clock } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { Media } from './media.tsx'
import { shortId } from './words.ts'

const words = texts.conversation
const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']

interface Props {
  client: InstanceClient
  message: MessageRecord
  quoted: MessageRecord | undefined
  reactions: string[]
  onKept: (record: MessageRecord) => void
  onReply: () => void
  onEdit: () => void
  onForward: () => void
}

export function Bubble({ client, message, quoted, reactions, onKept, onReply, onEdit, onForward }: Props) {
  const doing = useDoing()
  const [open, setOpen] = useState(false)
  const { fromMe, status, messageid: id, chatid: number } = message
  const deleted = status === 'Deleted'
  const act = (work: () => unknown) => {
    setOpen(false)
    void doing.run(work)
  }
  const react = (text: string) => act(async () => onKept(await client.reactToMessage({ id, number, text })))
  const remove = () =>
    act(async () => {
      await client.deleteMessage({ id })
      onKept({ ...message, status: 'Deleted' })
    })
  return (
    <article class={`bubble${fromMe ? ' mine' : ''}`}>
      <div class="bubble-card">
        {message.isGroup && !fromMe && (
          <p class="small strong">{message.senderName || shortId(message.sender_pn || message.sender)}</p>
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
            {message.type === 'media' && <Media client={client} message={message} />}
            <Text message={message} />
          </>
        )}
        <p class="bubble-foot small quiet">
          {message.edited && !deleted && <span>{words.edited}</span>}
          <Clock time={message.messageTimestamp} />
          {fromMe && <Ticks message={message} />}
        </p>
        {reactions.length > 0 && (
          <p class="reactions">
            {reactions.map((emoji, index) => (
              <span key={`${emoji}${index}`}>{emoji}</span>
            ))}
          </p>
        )}
        {doing.error !== undefined && <Trouble error={doing.error} onClose={doing.clear} />}
      </div>
      {!deleted && (
        <div class="bubble-acts">
          <button
            type="button"
            class="button bare"
            aria-expanded={open}
            aria-label={words.actions}
            disabled={doing.busy}
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
                    onClick={() => react(emoji)}
                  >
                    {emoji}
                  </button>
                ))}
                <button
                  type="button"
                  class="button bare"
                  aria-label={words.unreact}
                  onClick={() => react('')}
                >
                  ∅
                </button>
              </div>
              {[
                { says: words.reply, act: onReply },
                { says: words.forward, act: onForward },
                ...(fromMe ? [{ says: words.edit, act: onEdit }] : []),
              ].map(({ says, act: work }) => (
                <button
                  type="button"
                  class="button bare"
                  key={says}
                  onClick={() => {
                    setOpen(false)
                    work()
                  }}
                >
                  {says}
                </button>
              ))}
              {fromMe && (
                <button type="button" class="button bare danger" onClick={remove}>
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

function Text({ message }: { message: MessageRecord }) {
  if (message.text) return <p class="bubble-text">{message.text}</p>
  if (message.type === 'media') return null
  return <p class="quiet">{message.messageType || message.type}</p>
}

const TICKS: Record<string, string> = { Pending: '○', Sent: '✓', Delivered: '✓✓', Read: '✓✓', Failed: '!' }

const Ticks = ({ message: { status, error } }: { message: MessageRecord }) => (
  <span
    class={`ticks ${status.toLowerCase()}`}
    role="img"
    title={error}
    aria-label={words.status[status] || status}
  >
    {TICKS[status]}
  </span>
)
