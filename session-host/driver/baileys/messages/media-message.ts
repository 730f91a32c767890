// Builds a message that carries a file.

import type { proto } from 'baileys'
import type { FileToSend, StoredFile } from '../../driver.ts'
import { toArgb } from './colors.ts'

export function buildMediaMessage(
  file: FileToSend,
  stored: StoredFile | undefined,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  const message = buildFileMessage(file, stored, contextInfo)
  return file.viewOnce ? { viewOnceMessage: { message } } : message
}

function buildFileMessage(
  { type, mimetype, caption, fileName, viewOnce, background, shownAs }: FileToSend,
  stored: StoredFile | undefined,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  const { preview, ...place } = stored ?? {}
  const uploadedFile = stored && { ...place, mediaKeyTimestamp: Math.floor(Date.now() / 1000) }
  const file = { ...uploadedFile, mimetype, contextInfo, ...(viewOnce && { viewOnce }) }
  const captionField = caption ? { caption } : {}
  switch (type) {
    case 'image':
      return { imageMessage: { ...file, ...captionField, ...preview } }
    case 'video':
      if (shownAs === 'note') return { ptvMessage: file }
      return { videoMessage: { ...file, ...captionField, ...(shownAs === 'loop' && { gifPlayback: true }) } }
    case 'document':
      return { documentMessage: { ...file, ...captionField, fileName, title: fileName } }
    case 'audio':
      return { audioMessage: { ...file, ptt: false } }
    case 'ptt':
      return {
        audioMessage: { ...file, ptt: true, ...(background && { backgroundArgb: toArgb(background) }) },
      }
    case 'sticker': {
      const { width, height } = preview ?? {}
      return { stickerMessage: { ...file, ...(width && height && { width, height }) } }
    }
  }
}
