// Apart from voice-note.ts, because it goes the other way: makes the MP3 of a sound that was received, for programs without Opus.

import { registerMp3Encoder } from '@mediabunny/mp3-encoder'
import {
  AudioSample,
  AudioSampleSource,
  FilePathTarget,
  type InputAudioTrack,
  Mp3OutputFormat,
  Output,
} from 'mediabunny'
import type { MediaResult } from './media-job.ts'
import { OPUS_RATE } from './mono-audio.ts'
import { type ConversionFiles, readAtOpusRate } from './voice-note.ts'

const BITRATE = 64_000

registerMp3Encoder()

export async function makeMp3(
  track: InputAudioTrack,
  { path, output, reportDecoded }: ConversionFiles,
): Promise<MediaResult> {
  const writer = new Output({ format: new Mp3OutputFormat(), target: new FilePathTarget(output) })
  const source = new AudioSampleSource({ codec: 'mp3', bitrate: BITRATE })
  writer.addAudioTrack(source)
  await writer.start()
  let total = 0
  for await (const data of readAtOpusRate(track, path, reportDecoded)) {
    if (data.length === 0) continue
    const timestamp = total / OPUS_RATE
    const sample = new AudioSample({
      data,
      format: 'f32-planar',
      numberOfChannels: 1,
      sampleRate: OPUS_RATE,
      timestamp,
    })
    await source.add(sample)
    sample.close()
    total += data.length
  }
  await writer.finalize()
  return {
    mimetype: 'audio/mpeg',
    details: { seconds: Math.max(1, Math.round(total / OPUS_RATE)) },
    converted: true,
  }
}
