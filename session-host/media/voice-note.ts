// Makes the voice note that phones play: mono Opus in an Ogg file, with its length and its waveform.

import { Application, createEncoder, type OpusEncoderHandle, Signal } from 'libopus-wasm'
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  FilePathTarget,
  type Input,
  type InputAudioTrack,
  OggOutputFormat,
  Output,
} from 'mediabunny'
import { MAX_VOICE_SECONDS, type MediaResult, UnsupportedFile } from './media-job.ts'
import { OPUS_RATE, readMonoAudio } from './mono-audio.ts'
import { Resampler } from './resampler.ts'
import { validateSound } from './sound-limits.ts'
import { Waveform } from './waveform.ts'

const VOICE_TYPE = 'audio/ogg; codecs=opus'
const ENCODER = {
  channels: 1,
  sampleRate: OPUS_RATE,
  application: Application.Voip,
  signal: Signal.Voice,
  bitrate: 32_000,
  complexity: 5,
} as const
/** Samples of one packet. */
const FRAME = 960

export interface ConversionFiles {
  path: string
  /** The path of the new file. */
  output: string
  reportDecoded: () => void
}

/** Mono Opus in Ogg stays as it is, and in other containers gets another container only. */
export async function makeVoiceNote(
  input: Input,
  track: InputAudioTrack,
  { path, output, reportDecoded }: ConversionFiles,
): Promise<MediaResult> {
  // What says so itself is not decoded for an hour first.
  if (((await input.getDurationFromMetadata()) ?? 0) > MAX_VOICE_SECONDS)
    throw new UnsupportedFile('is longer than an hour')
  const isOpus = track.codec === 'opus' && track.numberOfChannels === 1
  const isOgg = (await input.getFormat()).name === 'Ogg'
  const samples = readAtOpusRate(track, path, reportDecoded)
  const { seconds, waveform } = isOpus ? await measure(samples) : await encodeVoice(samples, output)
  if (isOpus && !isOgg) await copyPackets(track, output)
  const details = { seconds: Math.max(1, Math.round(seconds)), waveform }
  return { mimetype: VOICE_TYPE, details, converted: !(isOpus && isOgg) }
}

/** Throws UnsupportedFile above the maximum length, and for a file without any sample. */
export async function* readAtOpusRate(
  track: InputAudioTrack,
  path: string,
  reportDecoded: () => void,
): AsyncGenerator<Float32Array, void> {
  let resampler: Resampler | undefined
  let total = 0
  for await (const { mono, rate } of readMonoAudio(track, path)) {
    if (mono.length === 0) continue
    reportDecoded()
    validateSound({ sampleRate: rate, numberOfChannels: 1 })
    if (rate !== OPUS_RATE) resampler ??= new Resampler(rate, OPUS_RATE)
    const samples = resampler ? resampler.resample(mono) : mono
    total += samples.length
    if (total > MAX_VOICE_SECONDS * OPUS_RATE) throw new UnsupportedFile('is longer than an hour')
    yield samples
  }
  if (total === 0) throw new UnsupportedFile('has no sound')
  if (resampler) yield resampler.flush()
}

interface Measured {
  seconds: number
  waveform: Uint8Array
}

async function measure(pieces: AsyncIterable<Float32Array>): Promise<Measured> {
  const waveform = new Waveform()
  let total = 0
  for await (const samples of pieces) {
    waveform.addSamples(samples)
    total += samples.length
  }
  return { seconds: total / OPUS_RATE, waveform: waveform.readValues() }
}

async function encodeVoice(pieces: AsyncIterable<Float32Array>, output: string): Promise<Measured> {
  const encoder = await createEncoder(ENCODER)
  const writer = await openOgg(output, createOpusHead(encoder.getLookahead()))
  const frames = new FrameCutter()
  const waveform = new Waveform()
  let total = 0
  const encodeFrames = async (samples: Float32Array) => {
    waveform.addSamples(samples)
    for (const frame of frames.cutFrames(samples)) {
      await writer.addPacket(encodeFrame(encoder, frame), total / OPUS_RATE, FRAME / OPUS_RATE)
      total += FRAME
    }
  }
  try {
    for await (const samples of pieces) await encodeFrames(samples)
    await encodeFrames(new Float32Array(frames.countMissing()))
  } finally {
    encoder.free()
  }
  await writer.finish()
  return { seconds: total / OPUS_RATE, waveform: waveform.readValues() }
}

const encodeFrame = (encoder: OpusEncoderHandle, frame: Float32Array): Uint8Array =>
  encoder.encodeFloat(frame).slice()

/** Cuts a stream of samples into frames of one packet. */
class FrameCutter {
  #rest = new Float32Array()

  cutFrames(samples: Float32Array): Float32Array[] {
    const all = new Float32Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    const end = all.length - (all.length % FRAME)
    this.#rest = all.slice(end)
    return Array.from({ length: end / FRAME }, (_, at) => all.subarray(at * FRAME, (at + 1) * FRAME))
  }

  /** Samples until the last frame is whole. */
  countMissing(): number {
    return this.#rest.length === 0 ? 0 : FRAME - this.#rest.length
  }
}

async function copyPackets(track: InputAudioTrack, output: string): Promise<void> {
  const config = await track.getDecoderConfig()
  if (!config) throw new UnsupportedFile('does not say how it is decoded')
  const writer = await openOgg(output, config)
  for await (const { data, timestamp, duration } of new EncodedPacketSink(track).packets())
    await writer.addPacket(data, timestamp, duration)
  await writer.finish()
}

async function openOgg(path: string, config: AudioDecoderConfig) {
  const file = new Output({ format: new OggOutputFormat(), target: new FilePathTarget(path) })
  const source = new EncodedAudioPacketSource('opus')
  file.addAudioTrack(source)
  await file.start()
  let meta: { decoderConfig: AudioDecoderConfig } | undefined = { decoderConfig: config }
  return {
    async addPacket(data: Uint8Array, timestamp: number, duration: number): Promise<void> {
      await source.add(new EncodedPacket(data, 'key', Math.max(0, timestamp), duration), meta)
      meta = undefined
    },
    finish: () => file.finalize(),
  }
}

/** The head of an Opus stream (RFC 7845, 5.1). `skip`: samples that the encoder adds at the start. */
function createOpusHead(skip: number): AudioDecoderConfig {
  const description = new Uint8Array(19)
  const view = new DataView(description.buffer)
  description.set(Buffer.from('OpusHead'))
  view.setUint8(8, 1)
  view.setUint8(9, 1)
  view.setUint16(10, skip, true)
  view.setUint32(12, OPUS_RATE, true)
  return { codec: 'opus', numberOfChannels: 1, sampleRate: OPUS_RATE, description }
}
