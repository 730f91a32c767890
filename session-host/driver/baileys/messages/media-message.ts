// Builds a message that carries a file.

import type { proto } from 'baileys'
import type { FileToSend, StoredFile, StoredPicture } from '../../driver.ts'
import { toArgb } from './colors.ts'

export function buildMediaMessage(
  file: FileToSend,
  stored: StoredFile | undefined,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  const message = buildFileMessage(file, stored, contextInfo)
  return file.viewOnce ? { viewOnceMessage: { message } } : message
}

const locateFile = ({ preview: _, ...place }: StoredFile) => ({
  ...place,
  mediaKeyTimestamp: Math.floor(Date.now() / 1000),
})

/** A picture that is part of another message. */
export const buildPicture = ({ mimetype, stored }: StoredPicture): proto.Message.IImageMessage => ({
  ...locateFile(stored),
  mimetype,
  ...stored.preview,
})

function buildFileMessage(
  { type, mimetype, caption, fileName, viewOnce, background, shownAs, details = {} }: FileToSend,
  stored: StoredFile | undefined,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  const { preview } = stored ?? {}
  const file = { ...(stored && locateFile(stored)), mimetype, contextInfo, ...(viewOnce && { viewOnce }) }
  const captionField = caption ? { caption } : {}
  const { seconds, waveform, pageCount, isAnimated, ...frame } = details
  const length = seconds === undefined ? {} : { seconds }
  switch (type) {
    case 'image':
      return { imageMessage: { ...file, ...captionField, ...preview } }
    case 'video':
      if (shownAs === 'note') return { ptvMessage: { ...file, ...length, ...frame } }
      return {
        videoMessage: {
          ...file,
          ...captionField,
          ...length,
          ...frame,
          ...(shownAs === 'loop' && { gifPlayback: true }),
        },
      }
    case 'document':
      return {
        documentMessage: {
          ...file,
          ...captionField,
          fileName,
          title: fileName,
          ...(pageCount !== undefined && { pageCount }),
        },
      }
    case 'audio':
      return { audioMessage: { ...file, ...length, ptt: false } }
    case 'ptt':
      return {
        audioMessage: {
          ...file,
          ...length,
          ...(waveform && { waveform }),
          ptt: true,
          ...(background && { backgroundArgb: toArgb(background) }),
        },
      }
    case 'sticker': {
      const { width, height } = preview ?? {}
      return {
        stickerMessage: {
          ...file,
          ...(width && height && { width, height }),
          ...(isAnimated && { isAnimated }),
        },
      }
    }
  }
}
