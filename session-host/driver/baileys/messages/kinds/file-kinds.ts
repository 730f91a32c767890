// Messages with a file, albums of them, and packs of stickers.

import type { proto } from 'baileys'
import { dropEmpty, type KindTable, limitWords, type Reading, toNumber } from './kind-reading.ts'

/** Phones send 64. */
const MAX_WAVEFORM_VALUES = 256
/** Phones make them of a few kilobytes; each is in the record and in its event. */
const MAX_THUMBNAIL_BYTES = 16 * 1024

type File =
  | proto.Message.IImageMessage
  | proto.Message.IVideoMessage
  | proto.Message.IAudioMessage
  | proto.Message.IDocumentMessage
  | proto.Message.IStickerMessage

function readFile(file: File | null | undefined, mediaType: string): Reading {
  const caption = (file && 'caption' in file ? file.caption : '') ?? ''
  return {
    type: 'media',
    mediaType,
    text: caption,
    content: { ...(caption && { caption }), ...(file && describeFile(file)) },
  }
}

function describeFile(file: File): Record<string, unknown> {
  const details: Record<string, unknown> = {
    mimetype: file.mimetype ?? '',
    fileLength: toNumber(file.fileLength),
  }
  if (file.url) details.URL = file.url
  if ('viewOnce' in file && file.viewOnce) details.viewOnce = true
  // What may be seen once leaves no picture here.
  const thumbnail = !details.viewOnce && 'jpegThumbnail' in file ? file.jpegThumbnail : undefined
  if (thumbnail?.length && thumbnail.length <= MAX_THUMBNAIL_BYTES)
    details.JPEGThumbnail = Buffer.from(thumbnail).toString('base64')
  if ('fileName' in file && file.fileName) details.fileName = file.fileName
  if ('seconds' in file && file.seconds) details.seconds = file.seconds
  if ('pageCount' in file && file.pageCount) details.pageCount = file.pageCount
  if ('waveform' in file && file.waveform?.length)
    details.waveform = Buffer.from(file.waveform.subarray(0, MAX_WAVEFORM_VALUES)).toString('base64')
  if ('width' in file && file.width) Object.assign(details, { width: file.width, height: file.height ?? 0 })
  if ('gifPlayback' in file && file.gifPlayback) details.gifPlayback = true
  if ('isAnimated' in file && file.isAnimated) details.isAnimated = true
  return details
}

/** How many files follow; each names the album in its `content.album`. */
function readAlbum({ albumMessage }: proto.IMessage): Reading {
  const { expectedImageCount, expectedVideoCount } = albumMessage ?? {}
  return { type: 'other', content: { images: expectedImageCount ?? 0, videos: expectedVideoCount ?? 0 } }
}

function readStickerPack({ stickerPackMessage }: proto.IMessage): Reading {
  const { stickerPackId, name, publisher, caption, packDescription, stickers, fileLength } =
    stickerPackMessage ?? {}
  return {
    type: 'other',
    text: limitWords(caption || name),
    content: {
      name: limitWords(name),
      publisher: limitWords(publisher),
      stickers: stickers?.length ?? 0,
      ...dropEmpty({
        caption: limitWords(caption),
        description: limitWords(packDescription),
        packId: limitWords(stickerPackId),
        fileLength: toNumber(fileLength),
      }),
    },
  }
}

export const fileKinds = {
  imageMessage: ({ imageMessage }) => readFile(imageMessage, 'image'),
  videoMessage: ({ videoMessage }) => readFile(videoMessage, 'video'),
  /** A round video note. */
  ptvMessage: ({ ptvMessage }) => readFile(ptvMessage, 'video'),
  /** A voice note is `ptt`, another audio file is `audio`. */
  audioMessage: ({ audioMessage }) => readFile(audioMessage, audioMessage?.ptt ? 'ptt' : 'audio'),
  documentMessage: ({ documentMessage }) => readFile(documentMessage, 'document'),
  stickerMessage: ({ stickerMessage }) => readFile(stickerMessage, 'sticker'),
  albumMessage: readAlbum,
  stickerPackMessage: readStickerPack,
} satisfies KindTable
