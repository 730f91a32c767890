// The dialog that creates a token, of an admin or of an instance, and shows its value once.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/elements.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'

const words = texts.tokens
const MAX_NAME_LENGTH = 100

interface Props {
  createToken: (name: string) => Promise<{ token: string }>
  onClose: () => void
  /** What the token may do, and until when. */
  children: ComponentChildren
}

export function CreateTokenDialog({ createToken, onClose, children }: Props) {
  const [name, setName] = useState('')
  const [secret, setSecret] = useState('')
  if (secret)
    return <SecretDialog title={words.createdTitle(name)} hint={words.once} {...{ secret, onClose }} />
  return (
    <ConfirmDialog
      title={words.create}
      onClose={onClose}
      onConfirm={async () => setSecret((await createToken(name)).token)}
      confirm={words.create}
      disabled={!isName(name)}
    >
      <Field label={words.name} hint={words.nameHint} value={name} onInput={setName} required autofocus />
      {children}
    </ConfirmDialog>
  )
}

const isName = (name: string): boolean => {
  const { length } = name.trim()
  return length > 0 && length <= MAX_NAME_LENGTH
}
