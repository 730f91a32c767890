// The dialog that creates an admin token and shows its value once.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Scope } from '@msgnet/shared/contract/admin-scope.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field, RadioLine } from '../ui/elements.tsx'
import { ScopeChoice } from '../ui/scope-choice.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'

const words = texts.tokens
const DAY_SECONDS = 86_400
const MAX_NAME_LENGTH = 100
const SCOPES: readonly Scope[] = ['read', 'operate', 'admin']
const LIFETIMES = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof LIFETIMES)[number]

interface Props {
  admin: AdminClient
  onClose: () => void
}

export function CreateTokenDialog({ admin, onClose }: Props) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('read')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [secret, setSecret] = useState('')
  const createToken = async () => {
    const expiry = lifetime === 'never' ? {} : { expiresIn: Number(lifetime) * DAY_SECONDS }
    setSecret((await admin.tokens.create({ name, scope, ...expiry })).token)
  }
  if (secret)
    return <SecretDialog title={words.createdTitle(name)} hint={words.once} {...{ secret, onClose }} />
  return (
    <ConfirmDialog
      title={words.create}
      onClose={onClose}
      onConfirm={createToken}
      confirm={words.create}
      disabled={!isName(name)}
    >
      <Field label={words.name} hint={words.nameHint} value={name} onInput={setName} required autofocus />
      <ScopeChoice {...{ words, scope }} scopes={SCOPES} onChange={setScope} />
      <div class="field">
        <span class="strong">{words.lifetime}</span>
        <RadioLine
          legend={words.lifetime}
          name="lifetime"
          options={LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] }))}
          value={lifetime}
          onChange={setLifetime}
        />
      </div>
    </ConfirmDialog>
  )
}

const isName = (name: string): boolean => {
  const { length } = name.trim()
  return length > 0 && length <= MAX_NAME_LENGTH
}
