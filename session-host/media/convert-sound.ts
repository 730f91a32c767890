// Apart from decoder-main.ts, because its packages are large: what is done with sounds and films.

import {
  ADTS,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  FilePathTarget,
  FLAC,
  Input,
  type InputTrack,
  type InputVideoTrack,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  Mp4OutputFormat,
  OGG,
  Output,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny'
import { makeMp3 } from './make-mp3.ts'
import { type MediaJob, type MediaResult, type SoundTask, UnsupportedFile } from './media-job.ts'
import { validateSound } from './sound-limits.ts'
import { makeVoiceNote } from './voice-note.ts'

/** Not all that the package knows: a playlist (HLS) names other files, and they would be read from this machine's disk. */
const FORMATS = [MP4, QTFF, MATROSKA, WEBM, WAVE, OGG, FLAC, MP3, ADTS, MPEG_TS]

/** A message has 32 bits for it. */
const MAX_SECONDS = 0xffff_ffff

interface SoundJob extends MediaJob {
  task: SoundTask
}

/** Reads the properties of a sound or a film, or converts it, and reports each piece that was decoded. Throws RefusedFile. */
export async function convertSound(
  { task, input: path, output, poster = false }: SoundJob,
  reportDecoded: () => void,
): Promise<MediaResult> {
  const input = new Input({ source: new FilePathSource(path), formats: FORMATS })
  try {
    if (!(await input.canRead())) throw new UnsupportedFile('is of no type that the gateway knows')
    if (task === 'video') return await describeVideo(input, poster ? output : undefined)
    const track = await input.getPrimaryAudioTrack()
    if (!track) throw new UnsupportedFile('has no sound')
    validateSound(track)
    if (task === 'audio') return await describeAudio(input, track)
    await requirePacket(track)
    const files = { path, output, reportDecoded }
    return await (task === 'voice' ? makeVoiceNote(input, track, files) : makeMp3(track, files))
  } finally {
    input.dispose()
  }
}

/** Without a first packet there is no end to looking for the last one. */
async function requirePacket(track: InputTrack): Promise<void> {
  if (!(await new EncodedPacketSink(track).getFirstPacket())) throw new UnsupportedFile('has nothing to play')
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

/** At least one, because phones show nothing for 0. What the head of a file says may be no number, or none that a message can carry. */
async function readSeconds(input: Input, track: InputTrack): Promise<number> {
  const seconds = Math.round((await input.getDurationFromMetadata()) ?? (await computeDuration(track)))
  return Math.max(1, Math.min(seconds || 0, MAX_SECONDS))
}

async function computeDuration(track: InputTrack): Promise<number> {
  await requirePacket(track)
  return track.computeDuration()
}
