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

const encoder = new TextEncoder()

export const compressResponse = createMiddleware<EdgeEnv>(async (c, next) => {
  await next()
  const { compress } = c.env.runtime
  const { status, headers } = c.res
  if (!compress || status !== 200 || !JSON_TYPE.test(headers.get('content-type') ?? '')) return
  headers.append('vary', 'Accept-Encoding')
  const accepted = listEncodings(c)
  const [encoding] = accepted
  if (!encoding || c.req.method !== 'GET') return
  const sharedBody = c.get('sharedBody')
  const text = c.get('responseText')
  const body = sharedBody ?? (text === undefined ? await readBody(c.res) : (encoder.encode(text) as Bytes))
  if (body instanceof ReadableStream) {
    const isCompressed = accepted.includes('gzip')
    if (isCompressed) headers.set('content-encoding', 'gzip')
    c.res = new Response(isCompressed ? body.pipeThrough(new CompressionStream('gzip')) : body, { headers })
  } else if (body.length >= MIN_COMPRESSED_BYTES) {
    headers.set('content-encoding', encoding)
    const work = sharedBody ? compressShared : compressOnce
    c.res = new Response(await work(compress, encoding, body), { headers })
  } else if (text === undefined) c.res = new Response(body, { headers })
})

/** Reading it makes a response of Node's server a slower one, so it is for those whose text is not known. A stream if it is long. */
async function readBody(response: Response): Promise<Bytes | ReadableStream<Bytes>> {
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Bytes> | undefined
  if (!reader) return new Uint8Array()
  const [first, second] = [await reader.read(), await reader.read()]
  if (!first.done && !second.done) return joinStream([first.value, second.value], reader)
  return first.value ?? new Uint8Array()
}

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

const compressOnce = (compress: Compress, encoding: Encoding, body: Bytes): Promise<Bytes> =>
  compress(body, encoding, 'quickly')

const shared = new WeakMap<Bytes, Map<Encoding, Promise<Bytes>>>()

/** Once for all responses with this body. */
function compressShared(compress: Compress, encoding: Encoding, body: Bytes): Promise<Bytes> {
  const byEncoding = shared.get(body) ?? new Map<Encoding, Promise<Bytes>>()
  const known = byEncoding.get(encoding)
  if (known !== undefined) return known
  const compressed = compressOnce(compress, encoding, body)
  shared.set(body, byEncoding.set(encoding, compressed))
  compressed.catch(() => byEncoding.delete(encoding))
  return compressed
}
