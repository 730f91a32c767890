// The choice of an emoji, for a text or a reaction, and the button in the composer that opens it.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.conversation.emoji

interface Props {
  onChoose: (emoji: string) => void
  onClose: () => void
}

export function EmojiDialog({ onChoose, onClose }: Props) {
  const { value: later, error } = useLoad(() => import('./emoji-grid.tsx'), [])
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      renderActions={() => <Button onClick={onClose}>{texts.cancel}</Button>}
    >
      {error !== undefined && <ErrorNote error={error} />}
      {later && <later.EmojiGrid onChoose={onChoose} />}
    </Dialog>
  )
}

interface ButtonProps {
  field: { current: HTMLTextAreaElement | null }
  setText: (text: string) => void
}

/** Puts the emoji where the cursor is. */
export function EmojiButton({ field, setText }: ButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const insertEmoji = (emoji: string) => {
    setOpen(false)
    const { current } = field
    if (!current) return
    current.setRangeText(emoji, current.selectionStart, current.selectionEnd, 'end')
    setText(current.value)
    current.focus()
  }
  return (
    <>
      <Button class="emoji-button" label={words.title} onClick={() => setOpen(true)}>
        <Icon name="smile" />
      </Button>
      {isOpen && <EmojiDialog onChoose={insertEmoji} onClose={() => setOpen(false)} />}
    </>
  )
}
