// Apart from scheduled-messages.tsx, because it has only its way to the browser in common with that: the dialog that forwards a message.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/elements.tsx'

const words = texts.conversation

interface ForwardProps {
  client: InstanceClient
  message: MessageRecord
  onClose: () => void
}

/** To another chat or number. */
export function ForwardDialog({ client, message, onClose }: ForwardProps) {
  const [number, setNumber] = useState('')
  const forwardMessage = async () => {
    await client.forwardMessage({ id: message.messageid, number })
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.forward}
      onClose={onClose}
      onConfirm={forwardMessage}
      confirm={words.forward}
      disabled={!number.trim()}
    >
      <blockquote class="quiet">{message.text || message.mediaType}</blockquote>
      <Field label={words.forwardTo} hint={words.forwardHint} value={number} onInput={setNumber} autofocus />
    </ConfirmDialog>
  )
}
