// Files of messages, as a driver uploads and downloads them.

import type { Readable } from 'node:stream'
import type { Answer } from './answer.ts'

export const mediaKinds = ['image', 'video', 'document', 'audio', 'ptt', 'sticker'] as const
export type MediaKind = (typeof mediaKinds)[number]

/** A file's description, before its bytes have arrived. */
export interface FileToSend {
  type: MediaKind
  mimetype: string
  caption: string
  fileName: string
  viewOnce: boolean
  /** A video as a round note, or as a loop that starts by itself. */
  shownAs?: 'note' | 'loop'
  /** Background of a voice note in a status post, as `#rrggbb`. */
  background?: string
}

/** The place of an encrypted file, and its keys. */
export interface StoredFile {
  url: string
  directPath: string
  mediaKey: Uint8Array
  fileSha256: Uint8Array
  fileEncSha256: Uint8Array
  fileLength: number
  /** For images: a preview and the size. */
  preview?: { jpegThumbnail: Uint8Array; width: number; height: number }
}

export interface MediaNetwork {
  /** Sends no message: a failed upload has had no effect. */
  upload(type: MediaKind, file: Readable, deadline: AbortSignal): Promise<Answer<StoredFile>>
  /** The decrypted file of a stored message; the stream fails if the file does not match the message's digest. */
  download(encoded: Uint8Array, deadline: AbortSignal): Promise<Answer<Readable>>
}
