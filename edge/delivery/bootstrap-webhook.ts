// Saves the global webhook of the environment, once an isolate, unless one was ever saved or deleted through the API.

import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import {
  clearServerWebhook,
  findServerWebhook,
  type ServerWebhookRow,
  saveServerWebhook,
} from '../store/server-webhook-queries.ts'
import { updateCopies } from '../store/webhook-inheritance.ts'
import { parseServerWebhookBody, type ServerWebhookChange } from './webhook-body.ts'
import { planSecretChange, SERVER_OWNER, selectPredecessor } from './webhook-secrets.ts'

type RequestedSave = Extract<ServerWebhookChange, { action: 'save' }>['destination']

let isBootstrapped = false

/** Called before anything that depends on what instances inherit. */
export async function bootstrapServerWebhook(env: Env, store: Store): Promise<void> {
  if (isBootstrapped) return
  const requested = readEnvironmentWebhook(env)
  const current = await findServerWebhook(store)
  if (requested && current?.source !== 'saved')
    await applyEnvironmentWebhook(env, store, current, requested.destination)
  // A change that was interrupted has left copies as they were.
  if (current) await updateCopies(store, { revives: false })
  isBootstrapped = true
}

async function applyEnvironmentWebhook(
  env: Env,
  store: Store,
  current: ServerWebhookRow | undefined,
  requested: RequestedSave | undefined,
): Promise<void> {
  if (!requested) {
    if (current?.registered) await clearServerWebhook(store, 'environment')
    return
  }
  const { secret = '', headers: _, format: __, ...destination } = requested
  const previous = selectPredecessor(current, destination.url)
  const change = await planSecretChange(env, SERVER_OWNER, previous?.secret ?? null, secret)
  const isSameDestination =
    current?.url === destination.url &&
    String(current.events) === String(destination.events) &&
    current.getsWebhookEvents === destination.getsWebhookEvents
  const isSameSecret = change.kind === 'keep' || (change.kind === 'remove' && !current?.secret)
  if (!isSameDestination || !isSameSecret) await saveServerWebhook(store, 'environment', destination, change)
}

/** Without a destination if there is to be none. Undefined if it is malformed: then what was saved before stays. */
function readEnvironmentWebhook(env: Env): { destination?: RequestedSave } | undefined {
  const { GLOBAL_WEBHOOK_URL: url, GLOBAL_WEBHOOK_EVENTS: events, GLOBAL_WEBHOOK_SECRET: secret } = env
  if (!url) return {}
  try {
    const body = { url, events: events || 'all', ...(secret && { secret }) }
    const requested = parseServerWebhookBody(body, env.WEBHOOK_ALLOWLIST ?? '')
    return requested.action === 'save' ? { destination: requested.destination } : {}
  } catch (error) {
    log(env, 'error', 'failed to read GLOBAL_WEBHOOK_*', { error })
    return undefined
  }
}
