// The work on a file that a decoder does, and what comes of it.

import type { FaultName } from '@msgnet/shared/fault-table.ts'

/** A decoder says it now and then while it decodes a file. */
export const DECODED = 'decoded'

/** What a file is to become, or which of its properties are read. */
export type SoundTask = 'voice' | 'audio' | 'video' | 'mp3'
export type PictureTask = 'sticker' | 'preview' | 'thumbnail' | 'picture'
export type MediaTask = SoundTask | PictureTask

export interface MediaJob {
  task: MediaTask
  /** The file that is read. */
  input: string
  /** Where a new file is written, if there is one. */
  output: string
  /** For a video: whether its first picture is written to `output`, as a film of one frame. */
  poster?: boolean
}

/** What phones show of a file before they load it. */
export interface FileDetails {
  seconds?: number
  /** Loudness over time: 64 values from 0 to 100. */
  waveform?: Uint8Array
  width?: number
  height?: number
  jpegThumbnail?: Uint8Array
  pageCount?: number
  isAnimated?: boolean
}

export interface MediaResult {
  mimetype: string
  details: FileDetails
  /** Whether `output` was written: otherwise the file is sent as it is. */
  converted: boolean
  /** Whether `output` has the first picture of a video. */
  hasPoster?: boolean
}

/** The file is of no kind that the task takes. */
export class RefusedFile extends Error {
  readonly fault: FaultName

  constructor(fault: FaultName, message: string) {
    super(message)
    this.fault = fault
  }
}

/** The same of a file of a message. `reason` continues the sentence "file …". */
export class UnsupportedFile extends RefusedFile {
  constructor(reason: string) {
    super('unsupported_media_type', `file ${reason}.`)
  }
}

/** The time ended before the work. That may be due to the file or to a busy machine, so the caller may try again. */
export class OutOfTime extends Error {}

/** Longer recordings are sent as `audio` or as a document. */
export const MAX_VOICE_SECONDS = 3600
