// The fields of what a scoped token is granted: what it may do, in which chats, how long.

import type { TokenScope } from '@msgnet/shared/contract/scoped-token.ts'
import { texts } from '../texts.ts'
import { Field, RadioField } from '../ui/elements.tsx'
import { ScopeChoice } from '../ui/scope-choice.tsx'

const words = texts.authorize
const DAY_SECONDS = 86_400
const LIFETIMES = ['1', '30', '90', '365'] as const

export interface Grant {
  scope: TokenScope
  /** As they are typed, with commas between them. */
  chats: string
  lifetime: (typeof LIFETIMES)[number]
}

export const emptyGrant: Grant = { scope: 'read', chats: '', lifetime: '30' }

export const toGrantRequest = ({ scope, chats, lifetime }: Grant) => ({
  scope,
  chats: chats.split(',').flatMap((chat) => chat.trim() || []),
  expiresIn: Number(lifetime) * DAY_SECONDS,
})

interface Props {
  scopes: readonly TokenScope[]
  grant: Grant
  onChange: (grant: Grant) => void
}

export function GrantFields({ scopes, grant, onChange }: Props) {
  const change = (fields: Partial<Grant>) => onChange({ ...grant, ...fields })
  return (
    <>
      <ScopeChoice {...{ words, scopes }} scope={grant.scope} onChange={(scope) => change({ scope })} />
      <Field
        label={words.chats}
        hint={words.chatsHint}
        value={grant.chats}
        onInput={(chats) => change({ chats })}
      />
      <RadioField
        legend={words.lifetime}
        name="lifetime"
        options={LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] }))}
        value={grant.lifetime}
        onChange={(lifetime) => change({ lifetime })}
      />
    </>
  )
}
