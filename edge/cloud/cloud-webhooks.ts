// The webhook of an instance as the Cloud API has it: an app that is subscribed, after its receiver has answered a challenge.

import type { WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { listWords } from '@msgnet/shared/contract/webhook-formats.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { readRefusal } from '../delivery/read-response.ts'
import { ContractRefusal, callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { setTimerDeadline } from '../runtime/deadlines.ts'
import { extraFields } from './cloud-changes.ts'
import { CloudRefusal } from './cloud-errors.ts'
import type { CloudOptions } from './cloud-events.ts'
import { CloudForm } from './cloud-form.ts'
import { nameInstance, requireNamed } from './cloud-instances.ts'

type EdgeContext = Context<EdgeEnv>

const EVENTS = ['messages', 'messages_update']
const CHALLENGE_TIMEOUT = 10 * SECOND

async function listOwn(c: EdgeContext): Promise<WebhookRecord[]> {
  const { webhooks } = await callContract<{ webhooks: WebhookRecord[] }>(c, 'listWebhooks')
  return webhooks.filter(({ format }) => format === 'cloud')
}

export async function listApps(c: EdgeContext, { params }: DialectInput) {
  const instance = requireNamed(c, params.waba)
  const own = await listOwn(c)
  const app = { id: nameInstance(instance), name: instance.name }
  return { data: own.map(({ url }) => ({ whatsapp_business_api_data: app, override_callback_uri: url })) }
}

/** Without a URL it is what it was. */
export async function subscribeApp(c: EdgeContext, { params, body }: DialectInput) {
  requireNamed(c, params.waba)
  const { override_callback_uri: url, verify_token: token, secret } = body
  if (url === undefined) return { success: true }
  if (typeof url !== 'string' || typeof token !== 'string')
    throw new CloudRefusal(
      100,
      'Invalid parameter',
      'override_callback_uri and verify_token must be given together.',
    )
  await requireAnswer(c, url, token)
  const findPresent = async () => (await listOwn(c)).find((webhook) => webhook.url === URL.parse(url)?.href)
  const settings = { url, events: EVENTS, format: 'cloud', ...(typeof secret === 'string' && { secret }) }
  const input = { body: settings, isKeyed: true, form: new CloudForm(readOptions(body)) } as const
  const change = (webhook: WebhookRecord) =>
    callContract(c, 'changeWebhook', { ...input, params: { id: webhook.id } })
  const present = await findPresent()
  await (present ? change(present) : callContract(c, 'addWebhook', input).catch(changeAdded))
  return { success: true }

  /** Another request may have added it meanwhile. */
  async function changeAdded(error: unknown): Promise<unknown> {
    const added = isFull(error) ? await findPresent() : undefined
    if (!added) throw error
    return change(added)
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof ContractRefusal && error.body.error === 'too_many_webhooks'

/** A list, or words with commas between them. Names that there are none of here change nothing. */
function readOptions({ subscribed_fields: fields }: DialectInput['body']): CloudOptions | undefined {
  if (fields === undefined) return undefined
  const names = Array.isArray(fields) ? fields.map(String) : listWords(String(fields))
  return { fields: extraFields.filter((name) => names.includes(name)) }
}

export async function unsubscribeApp(c: EdgeContext, { params }: DialectInput) {
  requireNamed(c, params.waba)
  for (const { id } of await listOwn(c)) await callContract(c, 'removeWebhook', { params: { id } })
  return { success: true }
}

/** Ten digits that begin with no 0: some receivers answer a number. */
const createChallenge = (): string =>
  String(1_000_000_000 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0))

/** Throws unless the receiver answers the challenge: 200, and the same digits. */
async function requireAnswer(c: EdgeContext, callback: string, token: string): Promise<void> {
  const checked = checkDestination(callback, c.env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed) throw new Fault('invalid_url', `override_callback_uri ${checked.why}.`)
  const url = new URL(checked.url)
  const challenge = createChallenge()
  url.searchParams.set('hub.mode', 'subscribe')
  url.searchParams.set('hub.verify_token', token)
  url.searchParams.set('hub.challenge', challenge)
  const answer = await askReceiver(c, url.href, checked.privateOutbound ? 'allowlisted' : 'public')
  if (answer.trim().replace(/^"(.*)"$/, '$1') !== challenge)
    throw new CloudRefusal(
      2200,
      'Callback verification failed',
      'The receiver did not answer the challenge with its digits.',
    )
}

/** The beginning of the body of a 200; empty for any other response, and for none in time. */
async function askReceiver(
  { env }: EdgeContext,
  url: string,
  reach: 'allowlisted' | 'public',
): Promise<string> {
  const abort = new AbortController()
  const expired = Promise.withResolvers<void>()
  const cancelDeadline = setTimerDeadline(CHALLENGE_TIMEOUT, () => {
    abort.abort()
    expired.resolve()
  })
  try {
    const response = await env.runtime.fetch(reach, url, { method: 'GET', signal: abort.signal })
    const text = await readRefusal(response.openBody?.() ?? response.body, expired.promise)
    return response.status === 200 ? text : ''
  } catch {
    // Whatever kept it from answering, it has not.
    return ''
  } finally {
    cancelDeadline()
  }
}
