// What a dialect does with an instance that it creates: its webhook and its proxy, which no end of this process leaves out, and what follows.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { hashSha256, isScopedToken } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { parseWebhookBody } from '../delivery/webhook-body.ts'
import { sealHeaders } from '../delivery/webhook-headers.ts'
import { isAdminCredential } from '../http/admin-credential.ts'
import { callContract } from '../http/call-contract.ts'
import { freeKey, type KeyRow, KeyStore } from '../idempotency/key-store.ts'
import { log } from '../observability/edge-log.ts'
import { formatKeyScope } from '../request/idempotency-step.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { sealProxy, validateProxy } from '../sealed/instance-proxy.ts'
import { findInstanceById, findInstanceByToken } from '../store/instance-queries.ts'
import { storeProxy } from '../store/proxy-queries.ts'
import { buildFirstWebhook } from '../store/webhook-queries.ts'
import { requireWebhooks } from './webhook-routes.ts'

interface NewWebhook {
  url: string
  formatOptions: Record<string, unknown>
}

const TOKEN_FORM = /^[\x21-\x7e]{20,255}$/

/** Why a caller cannot choose it; undefined if it can. */
export async function explainChosenToken(c: Context<EdgeEnv>, token: unknown): Promise<string | undefined> {
  if (typeof token !== 'string' || !TOKEN_FORM.test(token))
    return 'must be 20 to 255 visible ASCII characters'
  if (isScopedToken(token)) return 'has the form of a token of another kind'
  // An admin's would open the instance by another way than its own.
  const isTaken =
    (await isAdminCredential(c.env, token)) ||
    ((await findInstanceByToken(c.var.store, await hashSha256(token))) && !(await findKey(c)))
  return isTaken ? 'is in use' : undefined
}

/** That of an earlier request with this Idempotency-Key: what it has created is found again, or its key refuses another request. */
async function findKey(c: Context<EdgeEnv>): Promise<KeyRow | undefined> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return undefined
  return new KeyStore(c.env, c.var.store).find({ scope: formatKeyScope(c.var.actor), key })
}

// In lists: a statement that is awaited runs.

/** `body`: as `POST /webhook` has it. */
export async function buildChosenWebhook(
  c: Context<EdgeEnv>,
  id: string,
  { formatOptions, ...body }: NewWebhook,
  format: StoredFormat,
): Promise<Statement[]> {
  requireWebhooks(c)
  const change = parseWebhookBody(body, c.env.WEBHOOK_ALLOWLIST ?? '')
  if (change.action !== 'save') throw new Fault('invalid_action')
  const { headers, secret: _, format: __, ...destination } = change.destination
  const sealed = await sealHeaders(c.env, id, headers ?? {})
  return [buildFirstWebhook(c.var.store, id, { ...destination, ...sealed, formatOptions, format })]
}

export async function buildChosenProxy(c: Context<EdgeEnv>, id: string, url: string): Promise<Statement[]> {
  validateProxy(c.env, url)
  return [storeProxy(c.var.store, await sealProxy(c.env, id, { enabled: true, url }))]
}

/**
 * Does the `work` for the new instance, as the admin who acts for it. If that is refused, the instance is deleted again, and the key of
 * its creation is free; but not by a repeated request, which has created nothing. Where that fails, the caller gets the refusal of the
 * work all the same.
 */
export async function prepareCreated<Result>(
  c: Context<EdgeEnv>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { actor, isReplayed, store } = c.var
  const instance = await findInstanceById(store, id)
  if (!instance) throw new Fault('instance_not_found')
  c.set('instance', instance)
  c.set('actor', { ...actor, as: id })
  try {
    return await work()
  } catch (error) {
    const undo = async () => {
      await callContract(c, 'deleteInstanceById', { params: { id } })
      const key = c.req.header('idempotency-key')
      if (key !== undefined) await store.write([freeKey({ scope: formatKeyScope(actor), key })])
    }
    if (!isReplayed)
      await undo().catch((fault: unknown) =>
        log(c.env, 'error', 'failed to undo refused creation', { instance: id, error: fault }),
      )
    throw error
  }
}
