// Pages that are the same for all callers: their bytes are made and compressed once. They need no token, so they are limited in bytes a minute for each address.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { FairTurns } from '@msgnet/shared/fair-turns.ts'
import type { Context } from 'hono'
import { createLimitFault } from '../limits/quotas.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import type { Encoding } from '../runtime/runtime.ts'
import { readLimit } from '../settings/env.ts'
import { readClientNetwork } from './client-address.ts'
import { listEncodings, MIN_COMPRESSED_BYTES } from './compressed-response.ts'
import { createTag, isNamed } from './conditional-response.ts'

type Bytes = Uint8Array<ArrayBuffer>

export class FixedPage {
  readonly #headers: Record<string, string>
  readonly #bytes: Bytes
  readonly #compressed = new Map<Encoding, Promise<Bytes>>()
  #tag: string | undefined

  /** `headers`: its type among them. */
  constructor(text: string, headers: Record<string, string>) {
    this.#bytes = encodeUtf8(text)
    this.#headers = {
      ...headers,
      vary: headers.vary ? `${headers.vary}, Accept-Encoding` : 'Accept-Encoding',
    }
  }

  /** 304 if the caller has it, which costs its address nothing. Throws if the address has had too many bytes. */
  async respond(c: Context<EdgeEnv>, status: 200 | 404 = 200): Promise<Response> {
    this.#tag ??= await createTag(c.env, this.#bytes)
    const headers: Record<string, string> = { ...this.#headers, etag: this.#tag }
    if (status === 200 && isNamed(this.#tag, c.req.header('if-none-match') ?? '')) {
      const { 'content-type': _, ...rest } = headers
      return c.body(null, 304, rest)
    }
    const [encoding] = this.#bytes.length < MIN_COMPRESSED_BYTES ? [] : listEncodings(c)
    const body = encoding ? await this.#compress(c, encoding) : this.#bytes
    if (encoding) headers['content-encoding'] = encoding
    if (c.req.method === 'HEAD') return c.body(null, status, headers)
    chargeAddress(c, body.length)
    return c.body(body, status, headers)
  }

  #compress({ env }: Context<EdgeEnv>, encoding: Encoding): Promise<Bytes> {
    const known = this.#compressed.get(encoding)
    if (known !== undefined) return known
    // `listEncodings` names none where the platform compresses by itself.
    const compressed = Promise.resolve(env.runtime.compress?.(this.#bytes, encoding, 'well') ?? this.#bytes)
    this.#compressed.set(encoding, compressed)
    compressed.catch(() => this.#compressed.delete(encoding))
    return compressed
  }
}

/** Nothing waits here: only the bytes of an address in a minute are counted. */
const UNUSED = { maxUnderWay: 0, maxUnderWayOfOne: 0, maxWaiting: 0, maxWaitingOfOne: 0 }
let turns: FairTurns | undefined

function chargeAddress(c: Context<EdgeEnv>, bytes: number): void {
  const megabytes = readLimit(c.env, 'OPEN_PAGE_MB')
  if (megabytes === 0) return
  turns ??= registerTurns('open_pages', new FairTurns({ ...UNUSED, costPerMinute: megabytes * MIB }))
  const wait = turns.charge(readClientNetwork(c), bytes)
  if (wait === 0) return
  // Counted by address, without a log line for each.
  c.set('overRate', true)
  throw createLimitFault('OPEN_PAGE_MB', megabytes, wait)
}
