// The dialog that adds a contact to the address book.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/elements.tsx'

const words = texts.people.contacts

interface Props {
  client: InstanceClient
  /** Empty for one that is to be typed. */
  number: string
  onChange: () => Promise<void>
  onClose: () => void
}

export function ContactDialog({ client, number: known, onChange, onClose }: Props) {
  const [number, setNumber] = useState(known)
  const [name, setName] = useState('')
  const addContact = async () => {
    await client.addContact({ number, name })
    onClose()
    await onChange()
  }
  return (
    <ConfirmDialog
      title={words.add}
      onClose={onClose}
      onConfirm={addContact}
      confirm={words.add}
      disabled={!number.trim() || !name.trim()}
    >
      <p class="quiet">{words.addHint}</p>
      <Field
        label={words.number}
        hint={words.numberHint}
        value={number}
        onInput={setNumber}
        inputMode="tel"
        autofocus={!known}
      />
      <Field label={words.name} value={name} onInput={setName} autofocus={known !== ''} />
    </ConfirmDialog>
  )
}
