// Compresses texts for callers that accept it, where the runtime does not do that by itself.

import { createMiddleware } from 'hono/factory'
import type { EdgeEnv } from '../request-context.ts'
import type { Encoding, Runtime } from '../runtime.ts'

const TEXT_TYPES = /^(application\/json|text\/(html|css)|(text|application)\/javascript|image\/svg\+xml)\b/
/** Less than this fits into one packet anyway. */
const MIN_BYTES = 1024
/** There are a few pages and scripts, each in two encodings. */
const MAX_FIXED = 100

type Compress = NonNullable<Runtime['compress']>
type Bytes = Uint8Array<ArrayBuffer>

/** `isFixed`: the same for all callers, so it is compressed well and once. */
export const compressResponse = (isFixed: boolean) =>
  createMiddleware<EdgeEnv>(async (c, next) => {
    await next()
    const { compress, cryptography } = c.env.runtime
    const { status, headers } = c.res
    if (!compress || status !== 200 || !TEXT_TYPES.test(headers.get('content-type') ?? '')) return
    headers.append('vary', 'Accept-Encoding')
    const accepted = listEncodings(c.req.header('accept-encoding') ?? '')
    const [encoding] = accepted
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
    if (whole.length < MIN_BYTES) {
      c.res = new Response(whole, { headers })
      return
    }
    const compressed = isFixed
      ? await compressOnce(compress, encoding, whole, await cryptography.digest(whole))
      : await compress(whole, encoding, 'quickly')
    headers.set('content-encoding', encoding)
    c.res = new Response(compressed, { headers })
  })

/** Those that the caller accepts, the better one first. */
function listEncodings(accepted: string): Encoding[] {
  const names = accepted
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

const fixed = new Map<string, Promise<Bytes>>()

function compressOnce(compress: Compress, encoding: Encoding, whole: Bytes, digest: string): Promise<Bytes> {
  const key = `${encoding} ${digest}`
  const known = fixed.get(key)
  if (known !== undefined) return known
  if (fixed.size >= MAX_FIXED) fixed.clear()
  const compressed = compress(whole, encoding, 'well')
  fixed.set(key, compressed)
  compressed.catch(() => fixed.delete(key))
  return compressed
}
