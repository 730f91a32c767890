// The work on a file that a thread of its own does, and what comes of it.

/** What a file is to become, or which of its properties are read. */
export type MediaTask = 'voice' | 'audio' | 'video' | 'mp3'

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

/** The file is of no kind that the task takes; the sentence continues "file …". */
export class UnsupportedFile extends Error {}

/** The time ended before the work. That may be due to the file or to a busy machine, so the caller may try again. */
export class OutOfTime extends Error {}

/** Longer recordings are sent as `audio` or as a document. */
export const MAX_VOICE_SECONDS = 3600
