// Files of messages, as a driver uploads and downloads them.

import type { Readable } from 'node:stream'
import type { FileDetails } from '../media/media-job.ts'
import type { OwnKey } from './message-keys.ts'
import type { NetworkOutcome } from './network-outcome.ts'

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
  /** Undefined until its bytes were read, and for files of which nothing is read. */
  details?: FileDetails
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

/** Codes of a refused download, in addition to those of the media hosts. */
export const downloadRefusals = {
  noFile: 404,
  /** Neither the media hosts nor the phone have the file. */
  missing: 410,
  /** The media hosts do not have the file, and the phone is unresponsive. */
  phoneUnresponsive: 408,
} as const

export interface Download {
  /** The decrypted file; the stream fails if the file does not match the message's digest. */
  file: Readable
  /** The message with the file's new place, if the phone had to upload it again. */
  reuploaded?: Uint8Array<ArrayBuffer>
}

/** A file that is encrypted on this machine, until `remove`. */
export interface FileToUpload {
  type: MediaKind
  encrypted: EncryptedFile
  remove(): Promise<void>
}

export interface EncryptedFile {
  encryptedPath: string
  /** The decrypted file, if a preview is made of it. */
  plainPath: string | undefined
  mediaKey: Uint8Array
  fileSha256: Uint8Array
  fileEncSha256: Uint8Array
  /** Size of the decrypted file, in bytes. */
  fileLength: number
}

export interface MediaNetwork {
  /** Needs no connection. Undefined if the file does not arrive whole; rejects with a StoreFault if the disk does not take it. */
  encryptFile(type: MediaKind, file: Readable): Promise<FileToUpload | undefined>
  /** Sends no message: a failed upload has had no effect. */
  upload(file: FileToUpload, deadline: AbortSignal): Promise<NetworkOutcome<StoredFile>>
  /** The file of a stored message. When the media hosts no longer have it, the phone is requested to upload it again. */
  download(encoded: Uint8Array, key: OwnKey, deadline: AbortSignal): Promise<NetworkOutcome<Download>>
}

/** Encrypts a file and uploads it. */
export async function uploadFile(
  media: MediaNetwork,
  type: MediaKind,
  file: Readable,
  deadline: AbortSignal,
): Promise<NetworkOutcome<StoredFile>> {
  const encrypted = await media.encryptFile(type, file)
  if (!encrypted)
    return { kind: 'prevented', by: 'media_unavailable', message: 'the file did not arrive whole' }
  return media.upload(encrypted, deadline).finally(() => encrypted.remove())
}
