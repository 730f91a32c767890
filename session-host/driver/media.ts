// Files that travel with messages, as a driver takes and gives them.

import type { Readable } from 'node:stream'
import type { Answer } from './answer.ts'

export const mediaKinds = ['image', 'video', 'document', 'audio', 'ptt', 'sticker'] as const
export type MediaKind = (typeof mediaKinds)[number]

/** What is known of a file before it is there. */
export interface FileToSend {
  type: MediaKind
  mimetype: string
  caption: string
  fileName: string
  viewOnce: boolean
  /** A video is a round note, or plays by itself, again and again. */
  shownAs?: 'note' | 'loop'
  /** Of a voice note that is a status post, as `#rrggbb`. */
  background?: string
}

/** Where an encrypted file is, and what opens it. */
export interface StoredFile {
  url: string
  directPath: string
  mediaKey: Uint8Array
  fileSha256: Uint8Array
  fileEncSha256: Uint8Array
  fileLength: number
  /** Of images: a preview and how large they are. */
  preview?: { jpegThumbnail: Uint8Array; width: number; height: number }
}

export interface MediaNetwork {
  /** Nothing is sent by it: an upload that fails has had no effect. */
  upload(type: MediaKind, file: Readable, deadline: AbortSignal): Promise<Answer<StoredFile>>
  /** The plain file of a stored message; the stream breaks when the file is not what the message promised. */
  download(encoded: Uint8Array, deadline: AbortSignal): Promise<Answer<Readable>>
}
