// Saves the global webhook of the environment, once an isolate, unless one was ever saved or deleted through the API.

import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { Store } from '../store/database/database.ts'
import { spreadServerWebhook } from '../store/inheritance.ts'
import {
  clearServerWebhook,
  findServerWebhook,
  type ServerWebhookRow,
  saveServerWebhook,
} from '../store/server-webhook.ts'
import { SERVER, secretChange } from './secrets.ts'
import { readServerWebhook, type Wanted } from './webhook-body.ts'

type WantedSave = Extract<Wanted, { action: 'save' }>['destination']

let settled = false

/** Called before anything that depends on what instances inherit. */
export async function bootstrapServerWebhook(env: Env, store: Store): Promise<void> {
  if (settled) return
  const wanted = fromEnvironment(env)
  const current = await findServerWebhook(store)
  if (current?.source !== 'saved') await apply(env, store, current, wanted)
  // A change that was interrupted has left copies as they were.
  if (current) await spreadServerWebhook(store, { revives: false })
  settled = true
}

async function apply(
  env: Env,
  store: Store,
  current: ServerWebhookRow | undefined,
  wanted: WantedSave | undefined,
): Promise<void> {
  if (!wanted) {
    if (current?.registered) await clearServerWebhook(store, 'environment')
    return
  }
  const { secret = '', ...destination } = wanted
  const change = await secretChange(env, SERVER, current?.secret ?? null, secret)
  const same = current?.url === destination.url && String(current.events) === String(destination.events)
  const sameSecret = change.kind === 'keep' || (change.kind === 'remove' && !current?.secret)
  if (!same || !sameSecret) await saveServerWebhook(store, 'environment', destination, change)
}

function fromEnvironment(env: Env): WantedSave | undefined {
  const { GLOBAL_WEBHOOK_URL: url, GLOBAL_WEBHOOK_EVENTS: events, GLOBAL_WEBHOOK_SECRET: secret } = env
  if (!url) return undefined
  try {
    const body = { url, events: events || 'all', ...(secret && { secret }) }
    const wanted = readServerWebhook(body, env.WEBHOOK_ALLOWLIST ?? '')
    return wanted.action === 'save' ? wanted.destination : undefined
  } catch (error) {
    log(env, 'error', 'GLOBAL_WEBHOOK_* is not usable', { reason: reasonOf(error) })
    return undefined
  }
}
