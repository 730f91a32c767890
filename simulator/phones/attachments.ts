// Files in messages: downloads and checks received ones, uploads sent ones.
import type { proto } from '../codec/protobuf.ts'
import type { MediaKind } from '../media/encrypt-file.ts'
import { readJpegSize } from '../media/jpeg.ts'
import type { Network } from '../network/simulated-network.ts'
import { describeFile, type FileFacts, findAttachment } from './describe-content.ts'
import { listMenuPictures } from './describe-menu.ts'

/** The hash of the message's file in hex; or why there is none, though the message has a file. */
type AttachmentCheck = { mediaSha256?: string; mediaError?: string }

export async function verifyAttachment(network: Network, message: proto.IMessage): Promise<AttachmentCheck> {
  const found = findAttachment(message)
  return found === undefined ? {} : verifyFile(network, found)
}

/** Of a menu, with the place of the card. */
type PictureCheck = AttachmentCheck & FileFacts & { card?: number }

/** Empty without any. */
export async function verifyMenuPictures(
  network: Network,
  message: proto.IMessage,
): Promise<{ pictures?: PictureCheck[] }> {
  const pictures = listMenuPictures(message).map(async ({ file, ...place }) => ({
    ...place,
    ...describeFile(file),
    ...(await verifyFile(network, { kind: 'image', file })),
  }))
  return pictures.length > 0 ? { pictures: await Promise.all(pictures) } : {}
}

type Found = NonNullable<ReturnType<typeof findAttachment>>

/** The phone downloads by path, and ignores the host that the sender names. */
async function verifyFile({ media }: Network, found: Found): Promise<AttachmentCheck> {
  const { mediaKey: key, directPath: path, fileSha256: sha256, fileEncSha256: encryptedSha256 } = found.file
  if (!key || !path || !sha256 || !encryptedSha256)
    return { mediaError: 'the message does not tell where it is' }
  const valid = await media.isGenuine({ key, kind: found.kind, path, sha256, encryptedSha256 })
  return valid
    ? { mediaSha256: Buffer.from(sha256).toString('hex') }
    : { mediaError: 'the file is missing or not the one that was promised' }
}

export type Attachment = {
  kind: MediaKind
  file: Buffer
  mimetype: string
  caption?: string | undefined
  fileName?: string | undefined
  /** A round video note. */
  note?: boolean
  viewOnce?: boolean
  /** A JPEG. */
  thumbnail?: Buffer | undefined
}

/** Encrypts the file and puts it on the media host. */
export async function uploadAttachment({ media }: Network, attachment: Attachment): Promise<proto.IMessage> {
  const { kind, file, mimetype, caption, fileName } = attachment
  const { key, path, url, sha256, encryptedSha256 } = await media.storeFile(file, kind)
  const described = {
    url,
    directPath: path,
    mimetype,
    mediaKey: key,
    fileSha256: sha256,
    fileEncSha256: encryptedSha256,
    fileLength: file.length,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
    ...(caption !== undefined && { caption }),
    ...(attachment.viewOnce && { viewOnce: true }),
  }
  const seen = { ...described, ...(attachment.thumbnail && { jpegThumbnail: attachment.thumbnail }) }
  switch (kind) {
    case 'image':
      return { imageMessage: { ...seen, ...readJpegSize(file) } }
    case 'video':
      return attachment.note ? { ptvMessage: seen } : { videoMessage: seen }
    case 'audio':
      return { audioMessage: { ...described, ptt: /^audio\/ogg/.test(mimetype) } }
    case 'sticker':
      return { stickerMessage: described }
    case 'document':
      return { documentMessage: { ...seen, fileName: fileName ?? 'document', title: fileName ?? '' } }
  }
}
