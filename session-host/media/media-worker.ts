// A thread that reads and converts files of customers, one after another: what hangs or breaks in it, breaks no session.

import { readFile } from 'node:fs/promises'
import { parentPort } from 'node:worker_threads'
import {
  ALL_FORMATS,
  BufferSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  Input,
  type InputTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { makeMp3 } from './make-mp3.ts'
import { type MediaJob, type MediaResult, UnsupportedFile } from './media-job.ts'
import { makeVoiceNote } from './voice-note.ts'

export type MediaReply = { result: MediaResult } | { unsupported: string }

async function runJob({ task, input: path, output, poster = false }: MediaJob): Promise<MediaResult> {
  const file = await readFile(path)
  const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS })
  if (!(await input.canRead())) throw new UnsupportedFile('is of no type that the gateway knows')
  if (task === 'video') return describeVideo(input, poster ? output : undefined)
  const track = await input.getPrimaryAudioTrack()
  if (!track) throw new UnsupportedFile('has no sound')
  if (task === 'voice') return makeVoiceNote(input, track, { file, output })
  return task === 'mp3' ? makeMp3(track, { file, output }) : describeAudio(input, track)
}

async function describeAudio(input: Input, track: InputTrack): Promise<MediaResult> {
  const mimetype = (await input.getMimeType()).replace(/; codecs="(\w+)"/, (_, codec) =>
    codec === 'opus' ? '; codecs=opus' : '',
  )
  return {
    mimetype: mimetype.replace(/^video\//, 'audio/').replace(/;.*"$/, ''),
    details: { seconds: await readSeconds(input, track) },
    converted: false,
  }
}

/** `poster`: where the first picture is to be written. */
async function describeVideo(input: Input, poster: string | undefined): Promise<MediaResult> {
  const { name } = await input.getFormat()
  const track = await input.getPrimaryVideoTrack()
  if (!track || !['MP4', 'QuickTime File Format'].includes(name)) throw new UnsupportedFile('is no MP4 video')
  const details = {
    seconds: await readSeconds(input, track),
    width: track.displayWidth,
    height: track.displayHeight,
  }
  const hasPoster = poster !== undefined && (await writePoster(track, poster))
  return { mimetype: 'video/mp4', details, converted: false, hasPoster }
}

/** Whether the first frame was written, as a film of its own: what decodes it gets no more than that. */
async function writePoster(track: InputVideoTrack, path: string): Promise<boolean> {
  const [packet, decoderConfig] = [
    await new EncodedPacketSink(track).getFirstPacket(),
    await track.getDecoderConfig(),
  ]
  if (!packet || !decoderConfig || !track.codec) return false
  const format = new Mp4OutputFormat({ fastStart: 'in-memory' })
  const file = new Output({ format, target: new FilePathTarget(path) })
  const source = new EncodedVideoPacketSource(track.codec)
  file.addVideoTrack(source, { rotation: track.rotation })
  await file.start()
  await source.add(packet, { decoderConfig })
  await file.finalize()
  return true
}

/** At least one, because phones show nothing for 0. */
async function readSeconds(input: Input, track: InputTrack): Promise<number> {
  const stated = await input.getDurationFromMetadata()
  return Math.max(1, Math.round(stated ?? (await track.computeDuration())))
}

parentPort?.on('message', async (job: MediaJob) => {
  parentPort?.postMessage(await runJob(job).then((result) => ({ result }), toFailure))
})

/** What the packages throw about bytes that they cannot read says nothing to a caller. */
const toFailure = (error: unknown): MediaReply => ({
  unsupported:
    error instanceof UnsupportedFile ? error.message : 'is damaged, or not what its first bytes say',
})
