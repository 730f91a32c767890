// The menu of actions on a message.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { type ActionState, Button } from '../ui/action-button.tsx'
import { answerAct } from '../ui/answer-line.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import type { BubbleProps } from './bubble-props.ts'
import { EmojiDialog } from './emoji-dialog.tsx'
import { isPinnedNow } from './pinned-now.ts'

const words = texts.conversation
/** The empty one takes a reaction back. */
const EMOJI = ['👍', '❤️', '😂', '😮', '🙏', '']

interface Props extends BubbleProps {
  action: ActionState
  onClose: () => void
}

export function MessageMenu(props: Props) {
  const { message, action, onClose } = props
  const [removing, setRemoving] = useState(false)
  const [picking, setPicking] = useState(false)
  const { fromMe, messageid: id, chatid: number } = message
  const closeAndCall = (work: () => void) => () => {
    onClose()
    work()
  }
  const runAndClose = (work: () => unknown) => closeAndCall(() => void action.run(work))
  const react = async (text: string) =>
    props.onMessageChange(await props.client.reactToMessage({ id, number, text }))
  const sendReaction = (text: string) => {
    const before = [...(props.reactions?.values() ?? [])].find((one) => one.fromMe)?.text ?? ''
    return runAndClose(async () => {
      await react(text)
      answerAct(text ? words.react(text) : words.unreact, () => react(before))
    })
  }
  if (removing) return <RemoveDialog {...props} />
  if (picking) return <EmojiDialog onChoose={(emoji) => sendReaction(emoji)()} onClose={onClose} />
  return (
    <div class="menu">
      <ReactionLine sendReaction={sendReaction} onMore={() => setPicking(true)} />
      <MenuButton label={words.reply} onClick={closeAndCall(props.onReply)} />
      <MenuButton label={words.forward} onClick={closeAndCall(props.onForward)} />
      <MarkButtons {...props} runAndClose={runAndClose} />
      {fromMe && <MenuButton label={words.edit} onClick={closeAndCall(props.onEdit)} />}
      {fromMe && <MenuButton danger label={words.remove} onClick={() => setRemoving(true)} />}
    </div>
  )
}

function RemoveDialog({ client, message, onMessageChange, onClose }: Props) {
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
  // It may have changed since the menu was opened.
  const readAnew = async () => {
    const [now] = (await client.findMessages({ id })).messages
    if (now) onMessageChange(now)
  }
  const setStar = async (star: boolean) => {
    await client.starMessage({ id, star })
    await readAnew()
  }
  const setPin = async (pin: boolean) => {
    await client.pinMessage({ id, pin, days: 7 })
    await readAnew()
  }
  const renderMark = (label: string, isSet: boolean, setMark: (isSet: boolean) => Promise<void>) => (
    <MenuButton
      label={label}
      onClick={runAndClose(async () => {
        await setMark(!isSet)
        answerAct(label, () => setMark(isSet))
      })}
    />
  )
  return (
    <>
      {renderMark(isStarred ? words.unstar : words.star, isStarred, setStar)}
      {renderMark(isPinned ? words.unpinMessage : words.pinMessage, isPinned, setPin)}
    </>
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

interface ReactionLineProps {
  sendReaction: (text: string) => () => void
  onMore: () => void
}

function ReactionLine({ sendReaction, onMore }: ReactionLineProps) {
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
      <Button class="bare" label={words.emoji.more} onClick={onMore}>
        <Icon name="plus" size={16} />
      </Button>
    </div>
  )
}
