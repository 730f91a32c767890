// Shows a secret that the gateway does not show again. It is gone from the page once the dialog closes.

import { texts } from '../texts.ts'
import { Button } from './action-button.tsx'
import { Dialog } from './dialog.tsx'
import { SecretText } from './elements.tsx'

interface Props {
  title: string
  hint: string
  secret: string
  onClose: () => void
}

export const SecretDialog = ({ title, hint, secret, onClose }: Props) => (
  <Dialog
    title={title}
    onClose={onClose}
    onSubmit={onClose}
    renderActions={() => (
      <Button class="main" type="submit">
        {texts.close}
      </Button>
    )}
  >
    <p class="note warn">{hint}</p>
    <SecretText text={secret} />
  </Dialog>
)
