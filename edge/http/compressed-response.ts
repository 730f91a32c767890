// Compresses texts for callers that accept it, where the runtime does not do that by itself.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request/request-context.ts'
import type { Encoding, Runtime } from '../runtime/runtime.ts'

const JSON_TYPE = /^application\/json\b/
/** Less than this fits into one packet anyway. */
export const MIN_COMPRESSED_BYTES = 1024
type Bytes = Uint8Array<ArrayBuffer>
type Compress = NonNullable<Runtime['compress']>

export const compressResponse = createMiddleware<EdgeEnv>(async (c, next) => {
  await next()
  const { compress } = c.env.runtime
  const { status, headers } = c.res
  if (!compress || status !== 200 || !JSON_TYPE.test(headers.get('content-type') ?? '')) return
  headers.append('vary', 'Accept-Encoding')
  const accepted = listEncodings(c)
  const [encoding] = accepted
  const sharedBody = c.get('sharedBody')
  if (encoding && sharedBody && sharedBody.length >= MIN_COMPRESSED_BYTES && c.req.method === 'GET') {
    headers.set('content-encoding', encoding)
    c.res = new Response(await compressShared(compress, encoding, sharedBody), { headers })
    return
  }
  // Reading the body makes a response of Node's server a slower one, so it is read only here.
  const body = encoding && c.res.body
  if (!body) return
  const reader = body.getReader() as ReadableStreamDefaultReader<Bytes>
  const [first, second] = [await reader.read(), await reader.read()]
  if (!first.done && !second.done) {
    const stream = joinStream([first.value, second.value], reader)
    const isCompressed = accepted.includes('gzip')
    if (isCompressed) headers.set('content-encoding', 'gzip')
    c.res = new Response(isCompressed ? stream.pipeThrough(new CompressionStream('gzip')) : stream, {
      headers,
    })
    return
  }
  const whole = first.value ?? new Uint8Array()
  if (whole.length < MIN_COMPRESSED_BYTES) {
    c.res = new Response(whole, { headers })
    return
  }
  const compressed = await compress(whole, encoding, 'quickly')
  headers.set('content-encoding', encoding)
  c.res = new Response(compressed, { headers })
})

/** Those that the caller accepts, the better one first; none where the platform compresses. */
export function listEncodings(c: Context<EdgeEnv>): Encoding[] {
  if (!c.env.runtime.compress) return []
  const names = (c.req.header('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(';', 1)[0]?.trim())
  return (['br', 'gzip'] as const).filter((encoding) => names.includes(encoding))
}

/** What was read of a long list, and the rest as fast as the caller reads it. */
const joinStream = (begun: Bytes[], reader: ReadableStreamDefaultReader<Bytes>): ReadableStream<Bytes> =>
  new ReadableStream(
    {
      async pull(controller) {
        const value = begun.shift() ?? (await reader.read()).value
        if (value) controller.enqueue(value)
        else controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )

const shared = new WeakMap<Bytes, Map<Encoding, Promise<Bytes>>>()

/** Once for all responses with this body. */
function compressShared(compress: Compress, encoding: Encoding, body: Bytes): Promise<Bytes> {
  const byEncoding = shared.get(body) ?? new Map<Encoding, Promise<Bytes>>()
  const known = byEncoding.get(encoding)
  if (known !== undefined) return known
  const compressed = compress(body, encoding, 'quickly')
  shared.set(body, byEncoding.set(encoding, compressed))
  compressed.catch(() => byEncoding.delete(encoding))
  return compressed
}
