// The form of a new admin token.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Scope } from '@msgnet/shared/contract/admin-scope.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { RadioField } from '../ui/elements.tsx'
import { ScopeChoice } from '../ui/scope-choice.tsx'
import { CreateTokenDialog } from './create-token-dialog.tsx'

const words = texts.tokens
const DAY_SECONDS = 86_400
const SCOPES: readonly Scope[] = ['read', 'operate', 'admin']
const LIFETIMES = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof LIFETIMES)[number]

interface Props {
  admin: AdminClient
  onClose: () => void
}

export function CreateAdminToken({ admin, onClose }: Props) {
  const [scope, setScope] = useState<Scope>('read')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const expiry = lifetime === 'never' ? {} : { expiresIn: Number(lifetime) * DAY_SECONDS }
  return (
    <CreateTokenDialog
      createToken={(name) => admin.tokens.create({ name, scope, ...expiry })}
      onClose={onClose}
    >
      <ScopeChoice {...{ words, scope }} scopes={SCOPES} onChange={setScope} />
      <RadioField
        legend={words.lifetime}
        name="lifetime"
        options={LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] }))}
        value={lifetime}
        onChange={setLifetime}
      />
    </CreateTokenDialog>
  )
}
