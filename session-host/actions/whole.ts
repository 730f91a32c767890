// A transferred file as it streams by: its end is an error unless it says that it is whole.

import { TRANSFER_END } from '../../shared/wire/transfer-end.ts'

/** Hands on everything but the last bytes, which must be those of a whole one. */
export function wholeOnly(): TransformStream<Uint8Array, Uint8Array> {
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
