// Checks a transferred file while it streams: a stream without the end mark ends in an error.

import { TRANSFER_END } from '../../shared/wire/transfer-end.ts'

/** Passes everything on but the last bytes, which must be the mark of a whole file. */
export function requireEndMark(): TransformStream<Uint8Array, Uint8Array> {
  let tail = new Uint8Array()
  return new TransformStream({
    transform(chunk, controller) {
      const data = Buffer.concat([tail, chunk])
      const rest = Math.max(0, data.length - TRANSFER_END.length)
      tail = Uint8Array.from(data.subarray(rest))
      if (rest > 0) controller.enqueue(data.subarray(0, rest))
    },
    flush(controller) {
      if (Buffer.compare(tail, TRANSFER_END) !== 0)
        controller.error(new Error('the transferred file is torn'))
    },
  })
}
