// A dialog that asks before something is done: what will be done, "Cancel", and the button that does it.

import type { ComponentChildren } from 'preact'
import { texts } from '../texts.ts'
import { Button } from './action-button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  children: ComponentChildren
  /** The words of the button. */
  confirm: ComponentChildren
  /** For what cannot be undone. */
  danger?: boolean
  disabled?: boolean
  wide?: boolean
  /** The dialog stays open if it throws. */
  onConfirm: () => unknown
  onClose: () => void
}

export const ConfirmDialog = ({
  title,
  children,
  confirm,
  danger,
  disabled,
  wide,
  onConfirm,
  onClose,
}: Props) => (
  <Dialog
    title={title}
    wide={wide ?? false}
    onClose={onClose}
    onSubmit={onConfirm}
    renderActions={(busy) => (
      <>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button
          class={danger ? 'danger main' : 'main'}
          type="submit"
          busy={busy}
          disabled={disabled ?? false}
        >
          {confirm}
        </Button>
      </>
    )}
  >
    {children}
  </Dialog>
)
