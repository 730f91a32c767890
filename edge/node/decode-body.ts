// Decoders for the bodies of responses. They work in other threads, so that requests are served meanwhile.

import { Duplex } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { readFirstBytes } from '../media/image-type.ts'

type Body = ReadableStream<Uint8Array>

const CHUNK_BYTES = 64 * 1024
const options = { chunkSize: CHUNK_BYTES }

/** Undefined for an encoding that is not known. */
export function decodeBody(encoding: string, body: Body): Body | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return decodeBy(createGunzip(options), body)
    case 'br':
      return decodeBy(createBrotliDecompress(options), body)
    case 'zstd':
      return decodeBy(createZstdDecompress(options), body)
    case 'deflate':
      return decodeDeflate(body)
    default:
      return undefined
  }
}

const decodeBy = (decoder: Duplex, body: Body): Body =>
  body.pipeThrough(Duplex.toWeb(decoder) as unknown as TransformStream<Uint8Array, Uint8Array>)

/** HTTP means the format with a head; some servers leave the head out. */
function decodeDeflate(body: Body): Body {
  let decoded: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      decoded ??= (await openDeflate(body)).getReader()
      const { done, value } = await decoded.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => (decoded ?? body).cancel(reason),
  })
}

async function openDeflate(body: Body): Promise<Body> {
  const { first, body: whole } = await readFirstBytes(body)
  const isHeaded = ((first[0] ?? 0) & 0x0f) === 8
  return decodeBy(isHeaded ? createInflate(options) : createInflateRaw(options), whole as Body)
}
