// Fetches the file of a URL as HTTP says: redirects are followed, each judged as the URL itself, and the body's encoding is decoded.

import { PRODUCT } from '@msgnet/shared/contract/contract-version.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import { createQuotaFault } from '../limits/quotas.ts'
import type { OutboundResponse } from '../runtime/runtime.ts'
import { isTlsFailure } from '../runtime/tls-failure.ts'
import type { Env } from '../settings/env.ts'
import { openFetchPace } from './fetch-pace.ts'
import { FileContent } from './file-content.ts'
import { decodeHeader, type FileLabel, nameFetchedFile } from './file-name.ts'
import { readMediaType } from './file-types.ts'
import { readFirstBytes } from './image-type.ts'

export const FETCH_TIMEOUT = 15 * SECOND
/** An aborted request may never end its fetch here, so a fetch without progress for this long counts as ended. */
const STALLED_MS = 20 * SECOND
const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]

export interface FetchRules {
  /** The instance for which it is fetched. */
  instance: string
  /** The name of the body's field, for refusals. */
  field: string
  /** Of the file itself, however it is encoded on its way. */
  maxBytes: number
  tooLarge: FaultName
  /** Ends it before its own time. */
  signal?: AbortSignal
}

/** A file, and what its data URI or its server says of it. */
export interface FetchedFile extends FileLabel {
  content: FileContent
  /** Its first bytes. */
  first: Uint8Array
  /** Called if the rest will not be read. */
  closeInput(): void
}

/** Throws the Fault of a URL that is not allowed. */
export function checkFileUrl(env: Env, url: string, { field }: Pick<FetchRules, 'field'>) {
  const checked = checkDestination(url, env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed) throw new Fault('invalid_url', `${field} ${checked.why}.`)
  return checked
}

export const createUnavailableFault = (field: string, why: string) =>
  new Fault('media_unavailable', `${field} could not be fetched: ${why}.`)

export const createSizeFault = ({ field, tooLarge }: Pick<FetchRules, 'field' | 'tooLarge'>) =>
  new Fault(tooLarge, `${field} is too large.`)

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

/** Where a file came from, and what its server said of its type. */
interface Source {
  url: string
  contentType: string
}

/** Throws a Fault unless a file arrives that has at least one byte. Its stream breaks if it grows over its limit. */
export async function fetchFile(env: Env, url: string, rules: FetchRules): Promise<FetchedFile & Source> {
  const { field } = rules
  checkFileUrl(env, url, rules)
  const slot = new FetchSlot(rules.instance)
  const abortController = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    abortController.abort()
  }, FETCH_TIMEOUT)
  try {
    const signal = AbortSignal.any([abortController.signal, ...(rules.signal ? [rules.signal] : [])])
    const { response, urls } = await followRedirects(env, url, rules, signal)
    const content = new FileContent(openBody(env, response, rules, slot), () => abortController.abort())
    const first = await content.peekBody(readFirstBytes)
    if (first.length === 0) throw createUnavailableFault(field, 'its server sent no bytes')
    const contentType = response.headers.get('content-type') ?? ''
    return {
      content,
      first,
      url: urls.at(-1) ?? url,
      contentType,
      mimetype: readMediaType(contentType),
      fileName: nameFetchedFile(response.headers.get('content-disposition') ?? '', urls),
      closeInput: () => slot.release(),
    }
  } catch (error) {
    abortController.abort()
    slot.release()
    if (error instanceof Fault) throw error
    throw createUnavailableFault(field, explainFailure(error, isLate))
  } finally {
    clearTimeout(timer)
  }
}

function explainFailure(error: unknown, isLate: boolean): string {
  if (isLate) return 'its server did not answer in time'
  return isTlsFailure(error)
    ? 'its server has no valid certificate for this URL, or does not speak TLS as it must'
    : 'its server cannot be reached'
}

/** The response that has the file, and every URL on the way to it. */
async function followRedirects(env: Env, url: string, rules: FetchRules, signal: AbortSignal) {
  const urls: string[] = []
  for (let checked = checkFileUrl(env, url, rules); ; ) {
    urls.push(checked.url)
    const response = await env.runtime.fetch(
      checked.privateOutbound ? 'allowlisted' : 'public',
      checked.url,
      // A server that compresses all the same is understood too.
      { signal, headers: { 'user-agent': PRODUCT, 'accept-encoding': 'identity' } },
    )
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
    if (location === null && response.ok) return { response, urls }
    await response.body?.cancel().catch(() => undefined)
    if (location === null) throw createUnavailableFault(rules.field, `its server answered ${response.status}`)
    if (urls.length > MAX_REDIRECTS)
      throw createUnavailableFault(rules.field, `its server redirects more than ${MAX_REDIRECTS} times`)
    checked = checkRedirect(env, location, checked.url, rules)
  }
}

/** Judges a target as the caller's own URL is judged; a wrong one is the server's fault. */
function checkRedirect(env: Env, location: string, from: string, { field }: FetchRules) {
  const target = URL.parse(decodeHeader(location), from)
  if (!target) throw createUnavailableFault(field, 'its server redirects to what is no URL')
  const checked = checkDestination(target.href, env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed)
    throw createUnavailableFault(field, `its server redirects to a URL that ${checked.why}`)
  return checked
}

function openBody(
  env: Env,
  { headers, body }: OutboundResponse,
  rules: FetchRules,
  slot: FetchSlot,
): ReadableStream<Uint8Array> {
  if (!body) throw createUnavailableFault(rules.field, 'its server sent no bytes')
  if (Number(headers.get('content-length') ?? 0) > rules.maxBytes) throw createSizeFault(rules)
  const received = limitSize(body, rules, slot)
  const encoding = (headers.get('content-encoding') ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return received
  const decoded = env.runtime.decodeBody(encoding, received)
  if (!decoded)
    throw createUnavailableFault(
      rules.field,
      `its server sent it with content-encoding ${encoding.slice(0, 100)}, which is not read here`,
    )
  // A small body may become a very large file.
  return limitSize(nameBrokenEncoding(decoded, rules, encoding), rules, slot)
}

/** Gives the errors of a decoder their words; those of the body itself remain. */
function nameBrokenEncoding(body: ReadableStream<Uint8Array>, { field }: FetchRules, encoding: string) {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        throw error instanceof Fault
          ? error
          : createUnavailableFault(field, `it ends early, or is no valid ${encoding}`)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function limitSize(body: ReadableStream<Uint8Array>, rules: FetchRules, slot: FetchSlot) {
  let size = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        slot.extend()
        size += chunk.length
        if (size > rules.maxBytes) throw createSizeFault(rules)
        await openFetchPace().payForBytes(rules.instance, chunk.length, () => slot.extend())
        controller.enqueue(chunk)
      },
      flush: () => slot.release(),
    }),
  )
}
