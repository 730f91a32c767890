// The dialogs that end a value of a token: by a new value, with an overlap if wanted, or by deletion. Both say first what ends.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { AdminToken } from '@msgnet/shared/contract/responses/token-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { RadioField } from '../ui/elements.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'

const words = texts.tokens
const DAY_SECONDS = '86400'

interface Props {
  admin: AdminClient
  token: AdminToken
  onClose: () => void
}

const overlaps = [
  { value: '0', label: texts.instance.replaceAtOnce },
  { value: '3600', label: texts.instance.replaceHour },
  { value: DAY_SECONDS, label: texts.instance.replaceDay },
]

export function RenewTokenDialog({ admin, token, onClose }: Props) {
  const [overlap, setOverlap] = useState(DAY_SECONDS)
  const [secret, setSecret] = useState('')
  const renewToken = async () => {
    setSecret((await admin.tokens.renew(token.id, { overlap: Number(overlap) })).token)
  }
  if (secret)
    return <SecretDialog title={words.newValue(token.name)} hint={words.once} {...{ secret, onClose }} />
  return (
    <ConfirmDialog
      title={words.renewQuestion(token.name)}
      onClose={onClose}
      onConfirm={renewToken}
      confirm={words.renew}
    >
      <p>{words.renewHint}</p>
      <RadioField
        legend={words.oldValueEnds}
        name="overlap"
        options={overlaps}
        value={overlap}
        onChange={setOverlap}
      />
    </ConfirmDialog>
  )
}

interface DeleteProps {
  name: string
  onDelete: () => Promise<unknown>
  onClose: () => void
}

export const DeleteTokenDialog = ({ name, onDelete, onClose }: DeleteProps) => (
  <ConfirmDialog
    title={words.deleteQuestion(name)}
    onClose={onClose}
    onConfirm={async () => {
      await onDelete()
      onClose()
    }}
    confirm={words.delete}
    danger
  >
    <p>{words.deleteHint}</p>
  </ConfirmDialog>
)
