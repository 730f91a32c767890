// The packets of a track in batches, and the samples that decoders make of them.

import { EncodedPacketSink, type InputAudioTrack } from 'mediabunny'

export interface Samples {
  mono: Float32Array
  /** Samples per second. */
  rate: number
}

/** The packets of a track, at most `count` at a time. */
export async function* listBatches(
  track: InputAudioTrack,
  count: number,
): AsyncGenerator<Uint8Array[], void> {
  let batch: Uint8Array[] = []
  for await (const { data } of new EncodedPacketSink(track).packets()) {
    batch.push(data)
    if (batch.length < count) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
