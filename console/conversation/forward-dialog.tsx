// Forwarding a message to another chat or number.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/elements.tsx'

const words = texts.conversation

interface Props {
  client: InstanceClient
  message: MessageRecord
  onClose: () => void
}

export function ForwardDialog({ client, message, onClose }: Props) {
  const [number, setNumber] = useState('')
  const forwardMessage = async () => {
    await client.forwardMessage({ id: message.messageid, number })
    onClose()
  }
  return (
    <Dialog
      title={words.forward}
      onClose={onClose}
      onSubmit={forwardMessage}
      renderActions={(busy) => (
        <>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button class="main" type="submit" busy={busy} disabled={!number.trim()}>
            {words.forward}
          </Button>
        </>
      )}
    >
      <blockquote class="quiet">{message.text || message.mediaType}</blockquote>
      <Field label={words.forwardTo} hint={words.forwardHint} value={number} onInput={setNumber} autofocus />
    </Dialog>
  )
}
