// Apart from mono-audio.ts, because its decoder takes whole files only: decodes AAC in pieces, each as a file with ADTS headers (ISO 13818-7).

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { InputAudioTrack } from 'mediabunny'
import { UnsupportedFile } from './media-job.ts'
import { listBatches, type Samples } from './packet-batches.ts'

/** About 12 seconds: as much memory as a piece takes, and as many starts of the decoder. */
const PACKETS_PER_PIECE = 512
/** A frame is decoded on top of the one before it, so each piece starts with the last ones of the former. */
const REPEATED = 2
const SAMPLES_PER_PACKET = 1024
const ADTS_HEADER_BYTES = 7
/** The last of the rates that a header can name. */
const LAST_RATE_INDEX = 12

export async function* decodeAac(track: InputAudioTrack): AsyncGenerator<Samples, void> {
  const decodePiece = await loadDecoder()
  const config = await track.getDecoderConfig()
  // In a file with ADTS headers the packets have theirs already.
  const describe = config?.description === undefined ? undefined : readConfig(toBytes(config.description))
  let repeated: Uint8Array[] = []
  for await (const batch of listBatches(track, PACKETS_PER_PIECE)) {
    const packets = [...repeated, ...batch]
    const framed = describe
      ? packets.map((packet) => [createHeader(describe, packet.length), packet])
      : packets
    const { mono, rate } = await decodePiece(Buffer.concat(framed.flat()))
    // With spectral band replication a packet is twice as many samples.
    const scale = Math.max(1, Math.round(mono.length / (packets.length * SAMPLES_PER_PACKET)))
    // It returns nothing of the first packet.
    const known = Math.max(0, repeated.length - 1) * SAMPLES_PER_PACKET * scale
    yield { mono: mono.subarray(known), rate }
    repeated = batch.slice(-REPEATED)
  }
}

async function loadDecoder() {
  // The package is for browsers: it looks for this name where it finds `process`.
  Object.assign(globalThis, { __dirname: '' })
  const { getAudioDecoder } = await import('audio-file-decoder')
  const path = createRequire(import.meta.url).resolve('audio-file-decoder/decode-audio.wasm')
  const wasm = `data:application/wasm;base64,${readFileSync(path, 'base64')}`
  return async (adts: Uint8Array): Promise<Samples> => {
    const decoder = await getAudioDecoder(wasm, Uint8Array.from(adts).buffer)
    try {
      return { mono: decoder.decodeAudioData(), rate: decoder.sampleRate }
    } finally {
      decoder.dispose()
    }
  }
}

const toBytes = (source: ArrayBufferLike | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)

interface AacConfig {
  rateIndex: number
  channels: number
}

/** Of object types: low complexity, and that with spectral band replication, or with parametric stereo too (HE-AAC). */
const LOW_COMPLEXITY = 2
const REPLICATED = [5, 29]

/**
 * Reads the AudioSpecificConfig (ISO 14496-3): five bits of the object type, four of the rate, four of the channels. With band
 * replication four of the higher rate follow, and five of what is replicated; the decoder finds both in the packets.
 */
function readConfig([first = 0, second = 0, third = 0]: Uint8Array): AacConfig {
  const bits = (first << 16) | (second << 8) | third
  const objectType = bits >> 19
  const core = REPLICATED.includes(objectType) ? (bits >> 2) & 31 : objectType
  const rateIndex = (bits >> 15) & 15
  const channels = (bits >> 11) & 15
  if (core !== LOW_COMPLEXITY || rateIndex > LAST_RATE_INDEX || channels === 0 || channels > 7)
    throw new UnsupportedFile('has a form of AAC that the gateway cannot decode')
  return { rateIndex, channels }
}

/** The low-complexity profile, without a checksum. */
function createHeader({ rateIndex, channels }: AacConfig, length: number): Uint8Array {
  const size = length + ADTS_HEADER_BYTES
  return Uint8Array.of(
    0xff,
    0xf1,
    (1 << 6) | (rateIndex << 2) | (channels >> 2),
    ((channels & 3) << 6) | (size >> 11),
    (size >> 3) & 0xff,
    ((size & 7) << 5) | 0x1f,
    0xfc,
  )
}
