// A file as base64 within an answer in JSON: it is in memory once, as bytes, and becomes text while the answer is sent.

import { encodeBase64 } from '../base64.ts'
import { concat, utf8 } from '../bytes.ts'

/** Three bytes are four characters. */
const GROUP = 3

function* encode(chunks: Uint8Array[]): Generator<string, void> {
  let left: Uint8Array = new Uint8Array()
  // A chunk that was sent is needed no more.
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
    const bytes = left.length > 0 ? concat([left, chunk]) : chunk
    const whole = bytes.length - (bytes.length % GROUP)
    left = bytes.slice(whole)
    if (whole > 0) yield encodeBase64(bytes.subarray(0, whole))
  }
  if (left.length > 0) yield encodeBase64(left)
}

/** `fields`, at least one, and behind them the file under `name`. `ends` is called when the last byte was sent, or when nobody wants more. */
export function streamWithBase64(
  fields: object,
  name: string,
  chunks: Uint8Array[],
  ends: () => void,
): ReadableStream<Uint8Array> {
  const parts = (function* () {
    yield `${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(name)}:"`
    yield* encode(chunks)
    yield '"}'
  })()
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = parts.next()
      if (!done) return controller.enqueue(utf8(value))
      ends()
      controller.close()
    },
    cancel: ends,
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
