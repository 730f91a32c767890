// Says whether a request to configure a webhook changes anything.

import type { SecretChange } from '../store/secret-change.ts'
import { asGiven, type SubscriptionRow } from '../store/subscriptions.ts'
import type { WantedDestination } from './webhook-body.ts'

/** `delete` and `inherit`: whether the instance is not there already. */
export function changesMode(current: SubscriptionRow | undefined, wanted: 'delete' | 'inherit'): boolean {
  if (wanted === 'delete') return current?.mode !== 'off'
  // Without a row it follows the server's webhook, of which there is none.
  return current !== undefined && current.mode !== 'inherited'
}

/** Whether a save differs from what is there. */
export function changesDestination(
  current: SubscriptionRow | undefined,
  wanted: Omit<WantedDestination, 'secret'>,
  secret: SecretChange,
): boolean {
  if (current?.mode !== 'own' || current.gone) return true
  if (secret.kind === 'rotate' || (secret.kind === 'remove' && current.secret)) return true
  const given = { ...asGiven, ...wanted }
  const names = Object.keys(given) as (keyof typeof given)[]
  return names.some((name) => JSON.stringify(current[name]) !== JSON.stringify(given[name]))
}
