// Clients whose id is the URL of a document that describes them (client ID metadata documents). It is fetched for a person who has shown a
// token, never for a stranger, by the rules of webhooks, and remembered for minutes.

import { PRODUCT } from '@msgnet/shared/contract/contract-version.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import * as z from 'zod'
import { AddressRates } from '../limits/address-rates.ts'
import { openReader } from '../runtime/body-reader.ts'
import { concatBytes } from '../runtime/bytes.ts'
import type { OutboundResponse } from '../runtime/runtime.ts'
import type { Env } from '../settings/env.ts'
import { parseRedirectUri } from './redirect-uris.ts'
import { type Client, cleanName } from './registered-clients.ts'

const MAX_BYTES = 16 * 1024
const TIMEOUT = 5 * SECOND
const RETAINED_MS = 5 * MINUTE
const MAX_RETAINED = 200
const MAX_REDIRECT_URIS = 20

/** By whom a document is fetched for: each names any server. */
const fetches = new AddressRates({ burst: 30, refill: 30, everyMs: MINUTE })

const Document = z.object({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
})

/** By the URL, in this isolate. */
const retained = new Map<string, { client: Client; until: number }>()

export const isDocumentUrl = (id: string): boolean => /^https?:\/\//.test(id)

const refuse = (why: string) => new Fault('invalid_query', `client_id ${why}.`)

/** `caller`: the id of the person's token, or of its instance. */
export async function findDocumentClient(env: Env, id: string, caller: string): Promise<Client> {
  const now = Date.now()
  const known = retained.get(id)
  if (known && known.until > now) return known.client
  const { client, mayRetain } = await fetchDocument(env, id, () => fetches.take(caller))
  if (retained.size >= MAX_RETAINED) retained.clear()
  if (mayRetain) retained.set(id, { client, until: now + RETAINED_MS })
  return client
}

async function fetchDocument(env: Env, id: string, takeFetch: () => void) {
  const checked = checkDestination(id, env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed) throw refuse(checked.why)
  // Two spellings of one URL would be two clients.
  if (checked.url !== id || new URL(id).pathname === '/')
    throw refuse('must be the normal form of a URL with a path, without a fragment')
  takeFetch()
  const abortController = new AbortController()
  const reading = readDocument(env, checked, abortController.signal)
  const { text, mayRetain } = await withDeadline(reading, TIMEOUT, () => {
    throw refuse('could not be read: its server did not answer in time')
  }).finally(() => abortController.abort())
  return { client: parseDocument(id, text), mayRetain }
}

async function readDocument(
  env: Env,
  { url, privateOutbound }: { url: string; privateOutbound: boolean },
  signal: AbortSignal,
) {
  let response: OutboundResponse
  try {
    response = await env.runtime.fetch(privateOutbound ? 'allowlisted' : 'public', url, {
      signal,
      headers: { 'user-agent': PRODUCT, accept: 'application/json', 'accept-encoding': 'identity' },
    })
  } catch {
    throw refuse('could not be read: its server cannot be reached')
  }
  // Redirects are not followed: the document is where its id says.
  if (response.status !== 200) {
    await response.body?.cancel().catch(() => undefined)
    throw refuse(`could not be read: its server answered ${response.status}`)
  }
  const isPrivate = /\bno-(store|cache)\b/i.test(response.headers.get('cache-control') ?? '')
  return { text: await readText(response), mayRetain: !isPrivate }
}

async function readText({ body }: OutboundResponse): Promise<string> {
  if (!body) return ''
  const reader = openReader(body)
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for (let piece = await reader.next(); piece; piece = await reader.next()) {
      size += piece.length
      if (size > MAX_BYTES) throw refuse(`names a document of more than ${MAX_BYTES} bytes`)
      pieces.push(new Uint8Array(piece))
    }
  } catch (error) {
    reader.cancel()
    throw error instanceof Fault ? error : refuse('could not be read: its document ended early')
  }
  return new TextDecoder().decode(concatBytes(pieces))
}

function parseDocument(id: string, text: string): Client {
  const parsed = Document.safeParse(parseJson(text))
  if (!parsed.success)
    throw refuse('names a document without client_id, client_name and redirect_uris as they must be')
  const { client_id, client_name, redirect_uris } = parsed.data
  if (client_id !== id) throw refuse('names a document with another client_id')
  const { host } = new URL(id)
  const redirectUris = redirect_uris.filter(parseRedirectUri)
  return { name: cleanName(client_name) || host, redirectUris, host }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
