// One message with its content, its status and its actions.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { formatMentions, formatNumber } from '../formats.ts'
import { describeKind } from '../message-kind.ts'
import { texts } from '../texts.ts'
import { type ActionState, useAction } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { ClockTime } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { MessageContent } from './bubble-content.tsx'
import type { Outgoing } from './outgoing.ts'
import { PendingNote } from './pending-note.tsx'
import { toHue } from './portrait.tsx'
import type { Reaction } from './timeline.ts'

const words = texts.conversation
/** The empty one takes a reaction back. */
const EMOJI = ['👍', '❤️', '😂', '😮', '🙏', '']

interface Props {
  client: InstanceClient
  message: MessageRecord
  quoted: MessageRecord | undefined
  reactions: ReadonlyMap<string, Reaction> | undefined
  outgoing: Outgoing
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
        <MessageBody {...props} />
        {reactions && reactions.size > 0 && <Reactions reactions={reactions} />}
        {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      </div>
      {message.status !== 'Deleted' && <MessageMenu {...props} action={action} />}
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

function MessageBody({ client, message, quoted, outgoing, onMessageChange }: Props) {
  const { fromMe, isGroup, edited, late, status } = message
  const author = message.senderName || formatId(message.sender_pn || message.sender)
  return (
    <>
      {isGroup && !fromMe && (
        <p class="small strong author" style={{ '--hue': toHue(message.sender) }}>
          {author}
        </p>
      )}
      {message.quoted && <blockquote>{quoted ? describeQuoted(quoted) : words.earlierMessage}</blockquote>}
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

/** The button that opens the menu of actions on a message. */
function MessageMenu(props: Props & { action: ActionState }) {
  const { message, action } = props
  const [open, setOpen] = useState(false)
  const [removing, setRemoving] = useState(false)
  const { fromMe } = message
  const closeAndCall = (work: () => void) => () => {
    setOpen(false)
    work()
  }
  const runAndClose = (work: () => unknown) => closeAndCall(() => void action.run(work))
  return (
    <div class="bubble-actions">
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
          <MarkButtons {...props} runAndClose={runAndClose} />
          {fromMe && <MenuButton label={words.edit} onClick={closeAndCall(props.onEdit)} />}
          {fromMe && (
            <MenuButton danger label={words.remove} onClick={closeAndCall(() => setRemoving(true))} />
          )}
        </div>
      )}
      {removing && <RemoveDialog {...props} onClose={() => setRemoving(false)} />}
    </div>
  )
}

type RemoveProps = Pick<Props, 'client' | 'message' | 'onMessageChange'> & { onClose: () => void }

function RemoveDialog({ client, message, onMessageChange, onClose }: RemoveProps) {
  const deleteMessage = async () => {
    await client.deleteMessage({ id: message.messageid })
    onClose()
    onMessageChange({ ...message, status: 'Deleted', text: '', content: {} })
  }
  return (
    <ConfirmDialog
      title={words.removeTitle}
      onClose={onClose}
      onConfirm={deleteMessage}
      confirm={words.remove}
      danger
    >
      <p>{words.removeEffect}</p>
    </ConfirmDialog>
  )
}

type MarkProps = Props & { runAndClose: (work: () => unknown) => () => void }

/** A star is for the account alone, a pin for everyone in the chat. */
function MarkButtons({ client, message, onMessageChange, runAndClose }: MarkProps) {
  const { messageid: id, content } = message
  const isStarred = content.starred === true
  const isPinned = isPinnedNow(message)
  const changeContent = (change: Record<string, unknown>) =>
    onMessageChange({ ...message, content: { ...content, ...change } })
  return (
    <>
      <MenuButton
        label={isStarred ? words.unstar : words.star}
        onClick={runAndClose(async () => {
          await client.starMessage({ id, star: !isStarred })
          changeContent({ starred: !isStarred })
        })}
      />
      <MenuButton
        label={isPinned ? words.unpinMessage : words.pinMessage}
        onClick={runAndClose(async () => {
          await client.pinMessage({ id, pin: !isPinned, days: 7 })
          changeContent({ pinned: !isPinned, pinnedUntil: 0 })
        })}
      />
    </>
  )
}

/** 0: its sender did not say until when. */
const isPinnedNow = ({ content: { pinned, pinnedUntil } }: MessageRecord): boolean =>
  pinned === true && (!pinnedUntil || Number(pinnedUntil) > Date.now())

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
          aria-label={emoji ? words.react(emoji) : words.unreact}
          onClick={sendReaction(emoji)}
        >
          {emoji || '∅'}
        </button>
      ))}
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
