// Reads the bytes of a request's media input: a data URI, base64, or a URL that the destination rules allow.

import { SECOND } from '../../shared/clock.ts'
import { PRODUCT } from '../../shared/contract/version.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { judgeDestination } from '../../shared/destination.ts'
import { Fault, type FaultName } from '../../shared/faults.ts'
import { decodeBase64 } from '../base64.ts'
import { concat } from '../bytes.ts'
import type { Env } from '../env.ts'
import type { HeldBytes } from '../held-bytes.ts'
import type { LiftedTexts } from '../lifted-texts.ts'
import { decodeInPlace } from './base64.ts'
import { Content } from './content.ts'
import { beginFetch, type Fetching } from './fetches.ts'

const DATA_HEAD_CHARACTERS = 1024
const FETCH_WITHIN = 15 * SECOND

export interface MediaInputTerms {
  /** The instance for which it is fetched. */
  instance: string
  /** The name of the body's field, for refusals. */
  field: string
  atMost: number
  /** The fault for a text that is neither a URL nor base64. */
  broken: FaultName
  tooLarge: FaultName
  /** The texts of the request that were too long to be parsed with the rest of it. */
  lifted?: LiftedTexts | undefined
}

interface DecodedInput {
  bytes: Uint8Array<ArrayBuffer>
  /** As the data URI or the server names it; empty if neither does. */
  mimetype: string
}

export interface OpenMediaInput {
  content: Content
  mimetype: string
  /** Called if the rest will not be read. */
  close(): void
}

/** Reads all bytes; those that are fetched are counted as held. Throws a Fault if the input is wrong; no host has been asked by then. */
export async function readMediaInput(
  env: Env,
  input: string,
  terms: MediaInputTerms,
  held: HeldBytes,
): Promise<Content> {
  const { content, close } = await openMediaInput(env, input, terms)
  try {
    const body = content.take()
    return new Content(body instanceof Uint8Array ? body : await readAll(body, held))
  } finally {
    close()
  }
}

/** The same as a stream, which breaks if it grows over its limit. */
export async function openMediaInput(
  env: Env,
  input: string,
  terms: MediaInputTerms,
): Promise<OpenMediaInput> {
  if (isUrl(input)) return fetchMediaInput(env, input, terms)
  const { bytes, mimetype } = decodeInput(env, input, terms)
  // Bytes from the request itself need no cleanup.
  return { content: new Content(bytes), mimetype, close: () => undefined }
}

/** Throws the Fault of a URL that is not allowed or of text that is not base64. Does not check the file's content or size. */
export function judgeMediaInput(env: Env, input: string, terms: MediaInputTerms): void {
  if (isUrl(input)) destinationOf(env, input, terms)
  else decodeInput(env, input, { ...terms, atMost: Number.POSITIVE_INFINITY })
}

const isUrl = (input: string): boolean => /^(?!data:)[a-z][a-z0-9+.-]*:/i.test(input)

function decodeInput(env: Env, input: string, terms: MediaInputTerms): DecodedInput {
  const long = terms.lifted?.take(input)
  const head = long ? ascii(long.subarray(0, DATA_HEAD_CHARACTERS)) : input.slice(0, DATA_HEAD_CHARACTERS)
  // So long a URL is no file's: its fault is told.
  if (long && isUrl(head)) destinationOf(env, ascii(long), terms)
  const { mimetype, start } = readHead(head, terms)
  const bytes = long ? decode(long.subarray(start), terms) : decode(input.slice(start), terms)
  return { bytes, mimetype }
}

const ascii = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

/** What a data URI says before its bytes, and where they begin. */
function readHead(head: string, { broken, field }: MediaInputTerms): { mimetype: string; start: number } {
  if (!/^data:/i.test(head)) return { mimetype: '', start: 0 }
  const comma = head.indexOf(',')
  // A slash may be escaped, as anywhere in JSON.
  const said = head.slice('data:'.length, Math.max(0, comma)).replaceAll('\\/', '/')
  const [mimetype = '', ...options] = said.split(';')
  if (comma < 0 || options.at(-1)?.trim().toLowerCase() !== 'base64')
    throw new Fault(broken, `${field} must be in base64 if it is a data URI.`)
  return { mimetype: mimetype.trim(), start: comma + 1 }
}

function decode(
  base64: string | Uint8Array<ArrayBuffer>,
  { field, broken, tooLarge, atMost }: MediaInputTerms,
): Uint8Array<ArrayBuffer> {
  // Checked by length before it is decoded; padding, line breaks and escapes add a little.
  if (base64.length > (atMost / 3) * 4 * 1.1 + 8) throw new Fault(tooLarge)
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : decodeInPlace(base64)
  if (!bytes || bytes.length === 0)
    throw new Fault(broken, `${field} must be a URL, a data URI or valid base64.`)
  if (bytes.length > atMost) throw new Fault(tooLarge)
  return bytes
}

function destinationOf(env: Env, input: string, { field }: MediaInputTerms) {
  const judged = judgeDestination(input, env.WEBHOOK_ALLOWLIST ?? '')
  if (!judged.allowed) throw new Fault('invalid_url', `${field} ${judged.why}.`)
  return judged
}

async function fetchMediaInput(env: Env, input: string, terms: MediaInputTerms): Promise<OpenMediaInput> {
  const { instance, atMost, tooLarge } = terms
  const judged = destinationOf(env, input, terms)
  const reach = judged.privateOutbound ? 'allowlisted' : 'public'
  const fetching = beginFetch(instance)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), FETCH_WITHIN)
  try {
    const response = await env.runtime.fetch(reach, judged.url, {
      signal: limit.signal,
      headers: { 'user-agent': PRODUCT },
    })
    // A redirect could avoid the destination rules.
    if (!response.ok || !response.body) throw unavailable(`its server answered ${response.status}`)
    if (Number(response.headers.get('content-length') ?? 0) > atMost) throw new Fault(tooLarge)
    const mimetype = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
    const content = new Content(bounded(response.body, terms, fetching))
    return { content, mimetype, close: fetching.end }
  } catch (error) {
    fetching.end()
    throw error instanceof Fault ? error : unavailable('its server cannot be reached')
  } finally {
    clearTimeout(timer)
  }
}

const unavailable = (why: string) => new Fault('media_unavailable', `The URL could not be fetched: ${why}.`)

function bounded(
  body: ReadableStream<Uint8Array>,
  { atMost, tooLarge }: MediaInputTerms,
  fetching: Fetching,
) {
  let size = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        fetching.goesOn()
        size += chunk.length
        if (size > atMost) throw new Fault(tooLarge)
        controller.enqueue(chunk)
      },
      flush: fetching.end,
    }),
  )
}

/** Throws if the server stops before the end. */
async function readAll(body: ReadableStream<Uint8Array>, held: HeldBytes): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  const reading = async () => {
    for await (const chunk of body) {
      held.add(chunk.length)
      chunks.push(chunk)
    }
  }
  try {
    await withDeadline(reading(), FETCH_WITHIN, () => {
      throw unavailable('it took too long')
    })
    return concat(chunks)
  } catch (error) {
    throw error instanceof Fault ? error : unavailable('the connection was lost')
  }
}
