// Reads the bytes of a request's media input: a data URI, base64, or a URL that the destination rules allow.

import { PRODUCT } from '../../shared/contract/contract-version.ts'
import { limits } from '../../shared/contract/limits.ts'
import { SECOND } from '../../shared/date-time.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { checkDestination } from '../../shared/destination.ts'
import { Fault, type FaultName } from '../../shared/fault-table.ts'
import { decodeBase64 } from '../base64.ts'
import { concatBytes } from '../bytes.ts'
import type { Env } from '../env.ts'
import type { HeldBytes } from '../held-bytes.ts'
import type { LongTexts } from '../long-texts.ts'
import { createQuotaFault } from '../quotas.ts'
import { decodeInPlace } from './decode-in-place.ts'
import { FileContent } from './file-content.ts'

const DATA_HEAD_CHARACTERS = 1024
const FETCH_TIMEOUT = 15 * SECOND
/** An aborted request may never end its fetch here, so a fetch without progress for this long counts as ended. */
const STALLED_MS = 20 * SECOND

export interface MediaInputRules {
  /** The instance for which it is fetched. */
  instance: string
  /** The name of the body's field, for refusals. */
  field: string
  maxBytes: number
  /** The fault for a text that is neither a URL nor base64. */
  invalid: FaultName
  tooLarge: FaultName
  /** The texts of the request that were too long to be parsed with the rest of it. */
  longTexts?: LongTexts | undefined
}

interface DecodedInput {
  bytes: Uint8Array<ArrayBuffer>
  /** As the data URI or the server names it; empty if neither does. */
  mimetype: string
}

/** Reads all bytes; those that are fetched are counted. Throws a Fault if the input is wrong, before a host has got any request. */
export async function readMediaInput(
  env: Env,
  input: string,
  rules: MediaInputRules,
  heldBytes: HeldBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const { content, closeInput } = await openMediaInput(env, input, rules)
  try {
    const body = content.takeBody()
    return body instanceof Uint8Array ? body : await readAll(body, rules, heldBytes)
  } finally {
    closeInput()
  }
}

/** The same as a stream, which breaks if it grows over its limit. `closeInput` is called if the rest will not be read. */
export async function openMediaInput(env: Env, input: string, rules: MediaInputRules) {
  if (isUrl(input)) return fetchMediaInput(env, input, rules)
  const { bytes, mimetype } = decodeInput(env, input, rules)
  // Bytes from the request itself need no cleanup.
  return { content: new FileContent(bytes), mimetype, closeInput: () => undefined }
}

/** Throws the Fault of a URL that is not allowed or of text that is not base64. Does not check the file's content or size. */
export function validateMediaInput(env: Env, input: string, rules: MediaInputRules): void {
  if (isUrl(input)) checkInputDestination(env, input, rules)
  else decodeInput(env, input, { ...rules, maxBytes: Number.POSITIVE_INFINITY })
}

const isUrl = (input: string): boolean => /^(?!data:)[a-z][a-z0-9+.-]*:/i.test(input)

function decodeInput(env: Env, input: string, rules: MediaInputRules): DecodedInput {
  const long = rules.longTexts?.removeText(input)
  const head = long
    ? decodeAscii(long.subarray(0, DATA_HEAD_CHARACTERS))
    : input.slice(0, DATA_HEAD_CHARACTERS)
  // So long a URL names no file: its fault is the response.
  if (long && isUrl(head)) checkInputDestination(env, decodeAscii(long), rules)
  const { mimetype, start } = readHead(head, rules)
  const bytes = long ? decodeBytes(long.subarray(start), rules) : decodeBytes(input.slice(start), rules)
  return { bytes, mimetype }
}

const decodeAscii = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

/** Reads the head of a data URI: its type, and where its bytes begin. */
function readHead(head: string, { invalid, field }: MediaInputRules): { mimetype: string; start: number } {
  if (!/^data:/i.test(head)) return { mimetype: '', start: 0 }
  const comma = head.indexOf(',')
  // A slash may be escaped, as anywhere in JSON.
  const declaration = head.slice('data:'.length, Math.max(0, comma)).replaceAll('\\/', '/')
  const [mimetype = '', ...options] = declaration.split(';')
  if (comma < 0 || options.at(-1)?.trim().toLowerCase() !== 'base64')
    throw new Fault(invalid, `${field} must be in base64 if it is a data URI.`)
  return { mimetype: mimetype.trim(), start: comma + 1 }
}

function decodeBytes(
  base64: string | Uint8Array<ArrayBuffer>,
  rules: MediaInputRules,
): Uint8Array<ArrayBuffer> {
  const { field, invalid, maxBytes } = rules
  // Checked by length before it is decoded; padding, line breaks and escapes add a little.
  if (base64.length > (maxBytes / 3) * 4 * 1.1 + 8) throw createSizeFault(rules)
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : decodeInPlace(base64)
  if (!bytes || bytes.length === 0)
    throw new Fault(invalid, `${field} must be a URL, a data URI or valid base64.`)
  if (bytes.length > maxBytes) throw createSizeFault(rules)
  return bytes
}

function checkInputDestination(env: Env, input: string, { field }: MediaInputRules) {
  const checked = checkDestination(input, env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed) throw new Fault('invalid_url', `${field} ${checked.why}.`)
  return checked
}

/** The fetches under way of each instance in this isolate. */
const slotsByInstance = new Map<string, Set<FetchSlot>>()

/** The right to one fetch: each instance may have a few at a time. */
class FetchSlot {
  readonly #instance: string
  #until = Date.now() + STALLED_MS

  /** Throws if the instance has the maximum of fetches under way. */
  constructor(instance: string) {
    this.#instance = instance
    const now = Date.now()
    const slots = slotsByInstance.get(instance) ?? new Set()
    for (const slot of slots) if (slot.#until <= now) slots.delete(slot)
    if (slots.size >= limits.maxConcurrentUrlFetches) throw createQuotaFault('fetches', SECOND)
    slotsByInstance.set(instance, slots.add(this))
  }

  /** Called when bytes have arrived. */
  extend(): void {
    this.#until = Date.now() + STALLED_MS
  }

  release(): void {
    const slots = slotsByInstance.get(this.#instance)
    slots?.delete(this)
    if (slots?.size === 0) slotsByInstance.delete(this.#instance)
  }
}

async function fetchMediaInput(env: Env, input: string, rules: MediaInputRules) {
  const { instance, field, maxBytes } = rules
  const checked = checkInputDestination(env, input, rules)
  const reach = checked.privateOutbound ? 'allowlisted' : 'public'
  const slot = new FetchSlot(instance)
  const abortController = new AbortController()
  const timer = setTimeout(() => abortController.abort(), FETCH_TIMEOUT)
  try {
    const response = await env.runtime.fetch(reach, checked.url, {
      signal: abortController.signal,
      headers: { 'user-agent': PRODUCT },
    })
    // A redirect could avoid the destination rules.
    if (!response.ok || !response.body)
      throw createUnavailableFault(field, `its server answered ${response.status}`)
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw createSizeFault(rules)
    const mimetype = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
    const content = new FileContent(limitSize(response.body, rules, slot))
    return { content, mimetype, closeInput: () => slot.release() }
  } catch (error) {
    slot.release()
    throw error instanceof Fault ? error : createUnavailableFault(field, 'its server cannot be reached')
  } finally {
    clearTimeout(timer)
  }
}

const createUnavailableFault = (field: string, why: string) =>
  new Fault('media_unavailable', `${field} could not be fetched: ${why}.`)

const createSizeFault = ({ field, tooLarge }: MediaInputRules) =>
  new Fault(tooLarge, `${field} is too large.`)

function limitSize(body: ReadableStream<Uint8Array>, rules: MediaInputRules, slot: FetchSlot) {
  let size = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        slot.extend()
        size += chunk.length
        if (size > rules.maxBytes) throw createSizeFault(rules)
        controller.enqueue(chunk)
      },
      flush: () => slot.release(),
    }),
  )
}

/** Throws if the server stops before the end. */
async function readAll(
  body: ReadableStream<Uint8Array>,
  { field }: MediaInputRules,
  heldBytes: HeldBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  const readChunks = async () => {
    for await (const chunk of body) {
      heldBytes.reserveBytes(chunk.length)
      chunks.push(chunk)
    }
  }
  try {
    await withDeadline(readChunks(), FETCH_TIMEOUT, () => {
      throw createUnavailableFault(field, 'it took too long')
    })
    return concatBytes(chunks)
  } catch (error) {
    throw error instanceof Fault ? error : createUnavailableFault(field, 'the connection was lost')
  }
}
