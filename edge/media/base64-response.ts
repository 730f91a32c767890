// A file as base64 in a JSON response: it is in memory once, as bytes, and becomes text while the response is sent.

import { encodeBase64 } from '../runtime/base64.ts'
import { concatBytes, encodeUtf8 } from '../runtime/bytes.ts'

type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** Three bytes are four characters. */
const GROUP = 3

function* encodeChunks(chunks: Uint8Array[]): Generator<string, void> {
  let rest: Uint8Array = new Uint8Array()
  // A sent chunk is not needed any more.
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
    const bytes = rest.length > 0 ? concatBytes([rest, chunk]) : chunk
    const whole = bytes.length - (bytes.length % GROUP)
    rest = bytes.slice(whole)
    if (whole > 0) yield encodeBase64(bytes.subarray(0, whole))
  }
  if (rest.length > 0) yield encodeBase64(rest)
}

/** Characters of the text. */
export const countBase64 = (bytes: number): number => Math.ceil(bytes / GROUP) * 4

/** The file as text between both, in memory once. */
export function joinBase64(before: Uint8Array, chunks: Uint8Array[], after: Uint8Array): Bytes {
  const length = countBase64(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  const whole = new Uint8Array(before.length + length + after.length)
  whole.set(before)
  let at = before.length
  for (const text of encodeChunks(chunks)) at += encoder.encodeInto(text, whole.subarray(at)).written
  whole.set(after, at)
  return whole
}

/** Streams `fields`, at least one, and then the file under `name`. `onEnd` is called when the last byte was sent, or when the reader cancels. */
export function createBase64Stream(
  fields: object,
  name: string,
  chunks: Uint8Array[],
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const parts = (function* () {
    yield `${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(name)}:"`
    yield* encodeChunks(chunks)
    yield '"}'
  })()
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = parts.next()
      if (!done) return controller.enqueue(encodeUtf8(value))
      onEnd()
      controller.close()
    },
    cancel: onEnd,
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** In front of the file in the response of the contract, whose last field it is. */
const MARK = '"base64Data":"'

/** Such a response with these fields in front of its file, which is `base64` there: it is never in memory whole. */
export function renameBase64({ body }: Response, fields: object, status: number): Response {
  let before: string | undefined = ''
  const decoder = new TextDecoder()
  const change = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      if (before === undefined) return controller.enqueue(piece)
      before += decoder.decode(piece, { stream: true })
      const at = before.indexOf(MARK)
      if (at < 0) return
      const start = `${JSON.stringify(fields).slice(0, -1)},"base64":"`
      controller.enqueue(encodeUtf8(start + before.slice(at + MARK.length)))
      before = undefined
    },
    flush(controller) {
      // The file of the message is empty.
      if (before !== undefined) controller.enqueue(encodeUtf8(JSON.stringify({ ...fields, base64: '' })))
    },
  })
  const headers = { 'content-type': 'application/json' }
  return new Response(body?.pipeThrough(change) ?? JSON.stringify({ ...fields, base64: '' }), {
    status,
    headers,
  })
}
