// Prepares the file of a message before it is sent: its first bytes decide what it is, and what phones cannot play is converted.

import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { MediaKind, StoredFile } from '../driver/driver.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { limitBytes } from '../media/limit-bytes.ts'
import type { FileDetails, MediaResult, SoundTask } from '../media/media-job.ts'
import type { MediaJobs } from '../media/media-jobs.ts'
import type { Log } from '../process/host-log.ts'
import { findStoreFault, throwStoreFault } from '../process/store-fault.ts'

/** The kinds of which a phone plays only what has a certain form. */
const TASKS: Partial<Record<MediaKind, SoundTask | 'sticker'>> = {
  ptt: 'voice',
  audio: 'audio',
  video: 'video',
  sticker: 'sticker',
}

export interface OutgoingFile {
  /** Undefined if it does not arrive. */
  openFile(): Promise<Readable | undefined>
  /** Undefined if the type stays the one that the caller names. */
  mimetype?: string
  details?: FileDetails
  /** Removes what is left of it on the disk. */
  remove(): Promise<void>
}

interface FileRequest {
  instance: string
  kind: MediaKind
  deadline: AbortSignal
}

type OpenBody = () => Promise<ReadableStream<Uint8Array> | undefined>

/** With its turn. */
const MAX_PREVIEW_MS = 5 * SECOND

export const fileMissing = createRefusal('media_unavailable', 'The file did not arrive at the session host.')

/** A file that needs no preparation is passed on as it arrives. */
export async function prepareFile(
  jobs: MediaJobs,
  request: FileRequest,
  openBody: OpenBody,
): Promise<Outcome<OutgoingFile>> {
  const task = TASKS[request.kind]
  if (task) return convertFile(jobs, task, request, openBody)
  const openFile = async () => {
    const body = await openBody()
    return body && toReadable(body)
  }
  return createDoneOutcome({ openFile, remove: async () => undefined })
}

async function convertFile(
  jobs: MediaJobs,
  task: SoundTask | 'sticker',
  { instance, deadline }: FileRequest,
  openBody: OpenBody,
): Promise<Outcome<OutgoingFile>> {
  const refused = jobs.checkMinute(instance, task)
  if (refused) return refused
  const body = await openBody()
  if (!body) return fileMissing
  const { input, output, remove } = createPaths()
  try {
    await pipeline(toReadable(body), createWriteStream(input))
  } catch (error) {
    await remove()
    throwStoreFault(error)
    return createRefusal('media_unavailable', 'The file did not arrive whole at the session host.')
  }
  const files = { input, output }
  const outcome =
    task === 'sticker'
      ? await jobs.runJob(instance, { task, ...files }, deadline)
      : await convertSound(jobs, { instance, task, ...files, deadline })
  if (outcome.kind !== 'done') {
    await remove()
    return outcome
  }
  const { converted, mimetype, details } = outcome.result
  const openFile = async () => createReadStream(converted ? output : input)
  return createDoneOutcome({ openFile, mimetype, details, remove })
}

function createPaths() {
  const input = join(tmpdir(), `outgoing-${randomUUID()}`)
  const output = `${input}-converted`
  return {
    input,
    output,
    async remove(): Promise<void> {
      for (const path of [input, output]) await unlink(path).catch(() => undefined)
    },
  }
}

interface Conversion {
  instance: string
  task: SoundTask
  input: string
  output: string
  deadline: AbortSignal
}

/** With the machine's ffmpeg, if there is one, for what the packages cannot. */
async function convertSound(
  jobs: MediaJobs,
  { instance, task, input, output, deadline }: Conversion,
): Promise<Outcome<MediaResult>> {
  const { ffmpeg } = jobs
  const poster = task === 'video' && ffmpeg !== undefined
  const outcome = await jobs.runJob(instance, { task, input, output, poster }, deadline)
  if (!ffmpeg) return outcome
  if (outcome.kind === 'done' && outcome.result.hasPoster) {
    const { result } = outcome
    const drawn = await jobs.runProgram(instance, deadline, async () => {
      const jpegThumbnail = await ffmpeg.drawThumbnail(output)
      return { ...result, details: { ...result.details, ...(jpegThumbnail && { jpegThumbnail }) } }
    })
    // A film is sent without its picture where there is no time for that.
    return drawn.kind === 'done' ? drawn : outcome
  }
  if (task !== 'voice' || outcome.kind !== 'refused' || outcome.fault !== 'unsupported_media_type')
    return outcome
  const sound = `${input}-sound`
  try {
    const extracted = await jobs.runProgram(instance, deadline, () => extractSound(ffmpeg, input, sound))
    return extracted.kind === 'done'
      ? await jobs.runJob(instance, { task, input: sound, output }, deadline)
      : extracted
  } finally {
    await unlink(sound).catch(() => undefined)
  }
}

async function extractSound(ffmpeg: Ffmpeg, input: string, output: string): Promise<MediaResult> {
  await ffmpeg.extractSound(input, output)
  return { mimetype: 'audio/wav', details: {}, converted: true }
}

const toReadable = (body: ReadableStream<Uint8Array>): Readable => Readable.fromWeb(body as NodeStream)

export const MP3_TYPE = 'audio/mpeg'

const noMp3 = createRefusal('media_unavailable', 'No MP3 could be made of this sound.')

/** The MP3 of a sound. A stranger may have sent a larger one than any caller may. */
export async function convertToMp3(
  jobs: MediaJobs,
  { instance, file, deadline }: { instance: string; file: Readable; deadline: AbortSignal },
): Promise<Outcome<OutgoingFile>> {
  const refused = jobs.checkMinute(instance, 'mp3')
  if (refused) {
    file.destroy()
    return refused
  }
  const { input, output, remove } = createPaths()
  const written = await pipeline(file, limitBytes(limits.maxMediaBytes), createWriteStream(input)).then(
    () => true,
    (error) => remove().then(() => throwStoreFault(error) ?? false),
  )
  const outcome = written ? await jobs.runJob(instance, { task: 'mp3', input, output }, deadline) : noMp3
  if (outcome.kind === 'done')
    return createDoneOutcome({ openFile: async () => createReadStream(output), remove })
  await remove()
  return saysNothingOfFile(outcome) ? outcome : noMp3
}

/** There is no time for it now, or the disk does not take it. */
const saysNothingOfFile = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && ['quota_reached', 'storage_unavailable'].includes(outcome.fault)

/** What the network takes as the picture of a group or a profile. */
export async function convertPicture(
  jobs: MediaJobs,
  { instance, bytes, deadline }: { instance: string; bytes: Uint8Array; deadline: AbortSignal },
): Promise<Outcome<Uint8Array>> {
  const { input, output, remove } = createPaths()
  try {
    await writeFile(input, bytes)
    const outcome = await jobs.runJob(instance, { task: 'picture', input, output }, deadline)
    return outcome.kind === 'done' ? createDoneOutcome(new Uint8Array(await readFile(output))) : outcome
  } finally {
    await remove()
  }
}

interface ThumbnailRequest {
  instance: string
  log: Log
  share: { countBytes(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> }
  body: ReadableStream<Uint8Array>
  deadline: AbortSignal
}

/** The picture beside a link; undefined where the file does not arrive whole, cannot be read, or there is no time for it. */
export async function drawThumbnail(
  jobs: MediaJobs,
  { instance, log, share, body, deadline }: ThumbnailRequest,
): Promise<Uint8Array | undefined> {
  const soon = AbortSignal.any([deadline, AbortSignal.timeout(MAX_PREVIEW_MS)])
  const { input, remove } = createPaths()
  try {
    await pipeline(share.countBytes(body), createWriteStream(input), { signal: soon })
    const outcome = await jobs.runJob(instance, { task: 'thumbnail', input, output: '' }, soon)
    return outcome.kind === 'done' ? outcome.result.details.jpegThumbnail : undefined
  } catch (error) {
    // The message is sent without it. A disk that does not take it is the operator's, whatever else fails is the caller's.
    if (findStoreFault(error)) log.warn({ error, instance }, 'failed to store picture of link')
    return undefined
  } finally {
    await remove()
  }
}

/** The preview of an image; undefined where there can be none, or no time for it: the image is sent without one. */
export async function findPreview(
  jobs: MediaJobs,
  { instance, path, deadline }: { instance: string; path: string; deadline: AbortSignal },
): Promise<StoredFile['preview']> {
  // A message does not wait for it as long as for its file.
  const soon = AbortSignal.any([deadline, AbortSignal.timeout(MAX_PREVIEW_MS)])
  const outcome = await jobs.runJob(instance, { task: 'preview', input: path, output: '' }, soon)
  if (outcome.kind !== 'done') return undefined
  const { jpegThumbnail, width, height } = outcome.result.details
  return jpegThumbnail && width && height ? { jpegThumbnail, width, height } : undefined
}
