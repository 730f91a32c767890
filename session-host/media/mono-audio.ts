// Reads the sound of a file as mono samples, piece by piece, whatever its container and codec are.

import { createReadStream } from 'node:fs'
import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { createDecoder } from 'libopus-wasm'
import { AudioSampleSink, EncodedPacketSink, type InputAudioTrack } from 'mediabunny'
import { MPEGDecoder } from 'mpg123-decoder'
import { decodeAac } from './aac-audio.ts'
import { UnsupportedFile } from './media-job.ts'
import { listBatches, type Samples } from './packet-batches.ts'

export const OPUS_RATE = 48_000

/** Packets that are given to a decoder at once. One of FLAC may be 65,535 samples of eight channels, in a few bytes. */
const MP3_BATCH = 50
const FLAC_BATCH = 4
/** Bytes of Vorbis: a packet of silence is one byte, and up to 8,192 samples of each channel. */
const VORBIS_BYTES = 512

/** Throws UnsupportedFile for a codec without a decoder here. */
export function readMonoAudio(track: InputAudioTrack, path: string): AsyncIterable<Samples> {
  const { codec } = track
  if (codec === 'opus') return decodeOpus(track)
  if (codec === 'aac') return decodeAac(track)
  if (codec === 'mp3') return decodeBatches(track, new MPEGDecoder(), MP3_BATCH)
  if (codec === 'flac') return decodeBatches(track, new FLACDecoder(), FLAC_BATCH)
  if (codec === 'vorbis') return decodeVorbis(track, path)
  if (codec?.startsWith('pcm-') || codec === 'ulaw' || codec === 'alaw') return readPcm(track)
  throw new UnsupportedFile('has a sound that the gateway cannot decode')
}

/** The decoder mixes two channels by itself. */
async function* decodeOpus(track: InputAudioTrack): AsyncGenerator<Samples, void> {
  if (track.numberOfChannels > 2) throw new UnsupportedFile('has more than two channels')
  const decoder = await createDecoder({ channels: 1 })
  try {
    for await (const { data } of new EncodedPacketSink(track).packets())
      yield { mono: decoder.decodeFloat(data), rate: OPUS_RATE }
  } finally {
    decoder.free()
  }
}

interface FrameDecoder {
  ready: Promise<void>
  decodeFrames(frames: Uint8Array[]): DecodedFrames | Promise<DecodedFrames>
  free(): void
}
interface DecodedFrames {
  channelData: Float32Array[]
  sampleRate: number
}

async function* decodeBatches(
  track: InputAudioTrack,
  decoder: FrameDecoder,
  batch: number,
): AsyncGenerator<Samples, void> {
  await decoder.ready
  try {
    for await (const packets of listBatches(track, batch))
      yield toSamples(await decoder.decodeFrames(packets))
  } finally {
    decoder.free()
  }
}

/** The decoder reads the container too, because the codec's tables are in its first pages. */
async function* decodeVorbis(track: InputAudioTrack, path: string): AsyncGenerator<Samples, void> {
  if ((await track.input.getFormat()).name !== 'Ogg')
    throw new UnsupportedFile('has a sound that the gateway cannot decode')
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: VORBIS_BYTES }))
      yield toSamples(await decoder.decode(bytes))
    yield toSamples(await decoder.flush())
  } finally {
    decoder.free()
  }
}

async function* readPcm(track: InputAudioTrack): AsyncGenerator<Samples, void> {
  for await (const sample of new AudioSampleSink(track).samples()) {
    const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const channel = new Float32Array(sample.numberOfFrames)
      sample.copyTo(channel, { planeIndex, format: 'f32-planar' })
      return channel
    })
    yield { mono: mixChannels(channels), rate: sample.sampleRate }
    sample.close()
  }
}

const toSamples = ({ channelData, sampleRate }: DecodedFrames): Samples => ({
  mono: mixChannels(channelData),
  rate: sampleRate,
})

function mixChannels(channels: Float32Array[]): Float32Array {
  const [first] = channels
  if (!first || channels.length === 1) return first ?? new Float32Array()
  return first.map(
    (_, at) => channels.reduce((sum, channel) => sum + (channel[at] ?? 0), 0) / channels.length,
  )
}
