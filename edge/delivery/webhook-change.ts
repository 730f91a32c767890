// Compares a request to configure a webhook with what is stored: does it change anything?

import type { WebhookRow } from '../objects/due-events.ts'
import type { SecretChange } from '../store/secret-change.ts'
import { plainUrl } from '../store/webhook-queries.ts'
import type { RequestedDestination } from './webhook-body.ts'
import type { HeaderColumns } from './webhook-headers.ts'

/** `delete` and `inherit`: whether the instance is not there already. */
export function changesMode(current: WebhookRow | undefined, requested: 'delete' | 'inherit'): boolean {
  if (requested === 'delete') return current?.mode !== 'off'
  // Without a row it follows the server's webhook, of which there is none.
  return current !== undefined && current.mode !== 'inherited'
}

/** Whether a save differs from what is there. */
export function changesDestination(
  current: WebhookRow | undefined,
  requested: Omit<RequestedDestination, 'secret' | 'headers' | 'format'> &
    Pick<WebhookRow, 'format'> &
    Partial<HeaderColumns>,
  secret: SecretChange,
): boolean {
  if (current?.mode !== 'own' || current.gone) return true
  if (secret.kind === 'rotate' || (secret.kind === 'remove' && current.secret)) return true
  const settings = { ...plainUrl, ...requested }
  const names = Object.keys(settings) as (keyof typeof settings)[]
  return names.some((name) => JSON.stringify(current[name]) !== JSON.stringify(settings[name]))
}
