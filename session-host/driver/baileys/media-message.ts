// A message that carries a file.

import type { proto } from 'baileys'
import type { FileToSend, StoredFile } from '../driver.ts'

export function mediaMessage(
  { type, mimetype, caption, fileName }: FileToSend,
  stored: StoredFile | undefined,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  const { preview, ...place } = stored ?? {}
  const kept = stored && { ...place, mediaKeyTimestamp: Math.floor(Date.now() / 1000) }
  const file = { ...kept, mimetype, contextInfo }
  const said = caption ? { caption } : {}
  switch (type) {
    case 'image':
      return { imageMessage: { ...file, ...said, ...preview } }
    case 'video':
      return { videoMessage: { ...file, ...said } }
    case 'document':
      return { documentMessage: { ...file, ...said, fileName, title: fileName } }
    case 'audio':
      return { audioMessage: { ...file, ptt: false } }
    case 'ptt':
      return { audioMessage: { ...file, ptt: true } }
    case 'sticker': {
      const { width, height } = preview ?? {}
      return { stickerMessage: { ...file, ...(width && height && { width, height }) } }
    }
  }
}
