// Files: encrypts and uploads them, downloads and decrypts them.

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { getMediaKeys, type MediaType, type proto } from 'baileys'
import { MEDIA_PATH_MAP } from 'baileys/lib/Defaults/index.js'
import { throwStoreFault } from '../../../process/store-fault.ts'
import type {
  Download,
  FileToUpload,
  MediaKind,
  MediaNetwork,
  NetworkOutcome,
  OwnKey,
  StoredFile,
} from '../../driver.ts'
import { downloadRefusals } from '../../media-network.ts'
import { createDecryptStream } from './file-decryption.ts'
import { encryptFile, removeEncrypted } from './file-encryption.ts'
import type { MediaHosts, MmsType } from './media-hosts.ts'
import type { MediaRetries } from './media-retry.ts'
import { decodeMessage, encodeMessage } from './message-content.ts'
import { unwrap } from './message-wrappers.ts'

const PREVIEW_KINDS: readonly MediaKind[] = ['image', 'sticker']

/** What the hosts answer for a file that was deleted or whose address has expired. */
const GONE_CODES = [403, 404, 410]

/** Draws the preview of the image at this path; undefined if it has none. */
export type DrawPreview = (path: string, deadline: AbortSignal) => Promise<StoredFile['preview']>

export class MediaTransfers implements MediaNetwork {
  readonly #hosts: MediaHosts
  readonly #retries: MediaRetries
  readonly #drawPreview: DrawPreview

  constructor(hosts: MediaHosts, retries: MediaRetries, drawPreview: DrawPreview) {
    this.#hosts = hosts
    this.#retries = retries
    this.#drawPreview = drawPreview
  }

  async encryptFile(type: MediaKind, file: Readable): Promise<FileToUpload | undefined> {
    const withPreview = PREVIEW_KINDS.includes(type)
    const encrypted = await encryptFile(file, toMediaType(type), withPreview).catch(throwStoreFault)
    return encrypted && { type, encrypted, remove: () => removeEncrypted(encrypted) }
  }

  async upload(
    { type, encrypted }: FileToUpload,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<StoredFile>> {
    const { encryptedPath, plainPath, mediaKey, fileSha256, fileEncSha256, fileLength } = encrypted
    const name = Buffer.from(fileEncSha256).toString('base64url')
    const path = `${MEDIA_PATH_MAP[toMediaType(type)]}/${name}`
    // Beside the upload, so that a send takes no longer for it.
    const [put, preview] = await Promise.all([
      this.#hosts.uploadFile(path, encryptedPath, deadline),
      plainPath === undefined ? undefined : this.#drawPreview(plainPath, deadline),
    ])
    if (put.kind !== 'done') return put
    const keys = { mediaKey, fileSha256, fileEncSha256, fileLength }
    return { kind: 'done', value: { ...put.value, ...keys, ...(preview && { preview }) } }
  }

  async download(encoded: Uint8Array, key: OwnKey, deadline: AbortSignal): Promise<NetworkOutcome<Download>> {
    const message = decodeMessage(encoded)
    const file = findFile(message)
    if (!file) return { kind: 'refused', code: downloadRefusals.noFile, message: 'the message has no file' }
    const outcome = await this.#fetchFile(file, deadline)
    if (outcome.kind === 'done')
      return { kind: 'done', value: { file: await decryptFile(outcome.value, file) } }
    if (outcome.kind !== 'refused' || !GONE_CODES.includes(outcome.code)) return outcome

    const path = await this.#retries.requestUpload(key, file.part.mediaKey, deadline)
    if (path.kind !== 'done') return path
    file.part.directPath = path.value
    const again = await this.#fetchFile({ ...file, directPath: path.value }, deadline)
    if (again.kind !== 'done') return again
    return {
      kind: 'done',
      value: { file: await decryptFile(again.value, file), reuploaded: encodeMessage(message) },
    }
  }

  #fetchFile({ directPath, part, type }: FileInMessage, deadline: AbortSignal) {
    const encryptedSha256 = part.fileEncSha256 ?? new Uint8Array()
    return this.#hosts.downloadFile({ directPath, encryptedSha256, type: mmsTypes[type] }, deadline)
  }
}

const toMediaType = (type: MediaKind): MediaType => (type === 'ptt' ? 'audio' : type)

const mmsTypes = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  document: 'document',
  sticker: 'image',
} as const satisfies Record<string, MmsType>

/** The part of a message that describes its file; a change of it changes the message. */
type FilePart = proto.Message.IImageMessage & { mediaKey: Uint8Array }

interface FileInMessage {
  type: keyof typeof mmsTypes
  part: FilePart
  directPath: string
}

function findFile(message: proto.IMessage): FileInMessage | undefined {
  const content = unwrap(message)
  const parts: [FileInMessage['type'], proto.Message.IImageMessage | null | undefined][] = [
    ['image', content?.imageMessage],
    ['video', content?.videoMessage ?? content?.ptvMessage],
    ['audio', content?.audioMessage],
    ['document', content?.documentMessage],
    ['sticker', content?.stickerMessage],
  ]
  const [type, part] = parts.find(([, found]) => found) ?? []
  if (!type || !part?.mediaKey?.length) return
  const directPath = part.directPath || readPath(part.url)
  return directPath ? { type, part: part as FilePart, directPath } : undefined
}

const DIGEST_BYTES = 32

/**
 * Over everything that decides which bytes a download returns. With the key: a stranger who knows only the digest of a file must not
 * have it shown as a file of the stranger's own.
 */
export function identifyFile(encoded: Uint8Array): string {
  const file = findFile(decodeMessage(encoded))
  if (!file) return ''
  const { mediaKey, fileSha256, fileEncSha256 } = file.part
  // Without a digest the bytes of a download are not checked against the message.
  if (fileSha256?.length !== DIGEST_BYTES || fileEncSha256?.length !== DIGEST_BYTES) return ''
  const hash = createHash('sha256').update(`${file.type}\n`)
  return hash.update(fileSha256).update(fileEncSha256).update(mediaKey).digest('base64url')
}

/** With its query, which is signed. */
function readPath(url: string | null | undefined): string {
  if (!url || !URL.canParse(url)) return ''
  const { pathname, search } = new URL(url)
  return pathname + search
}

async function decryptFile(encrypted: IncomingMessage, { part, type }: FileInMessage): Promise<Readable> {
  const { iv, cipherKey, macKey } = await getMediaKeys(part.mediaKey, type)
  const keys = { iv: Buffer.from(iv), cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey ?? []) }
  const opening = createDecryptStream({ ...keys, sha256: part.fileSha256 ?? new Uint8Array() })
  // Errors of the connection appear in the decrypted stream.
  return pipeline(encrypted, opening, () => undefined)
}
