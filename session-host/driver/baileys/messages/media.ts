// Files: encrypts and uploads them, downloads and decrypts them.

import { pipeline, type Readable } from 'node:stream'
import { getMediaKeys, type MediaType, normalizeMessageContent } from 'baileys'
import { MEDIA_PATH_MAP } from 'baileys/lib/Defaults/index.js'
import type { Answer, MediaKind, MediaNetwork, StoredFile } from '../../driver.ts'
import { decodeMessage } from './content.ts'
import type { MediaHost } from './media-host.ts'
import { openingStream } from './opening.ts'
import { previewOf } from './preview.ts'
import { removeSealed, sealFile } from './sealing.ts'

const PREVIEWED: readonly MediaKind[] = ['image', 'sticker']

export function makeMediaNetwork(host: MediaHost): MediaNetwork {
  return {
    async upload(type, file, deadline): Promise<Answer<StoredFile>> {
      const previewed = PREVIEWED.includes(type)
      const sealed = await sealFile(file, mediaTypeOf(type), previewed).catch(() => undefined)
      if (!sealed) return { kind: 'silent', message: 'the file did not arrive whole' }
      const { sealedPath, plainPath, mediaKey, fileSha256, fileEncSha256, fileLength } = sealed
      try {
        const name = Buffer.from(fileEncSha256).toString('base64url')
        const path = `${MEDIA_PATH_MAP[mediaTypeOf(type)]}/${name}`
        const put = await host.put(path, sealedPath, deadline)
        if (put.kind !== 'done') return put
        const preview = plainPath && (await previewOf(plainPath))
        const keys = { mediaKey, fileSha256, fileEncSha256, fileLength }
        return { kind: 'done', value: { ...put.value, ...keys, ...(preview && { preview }) } }
      } finally {
        await removeSealed(sealed)
      }
    },

    async download(encoded, deadline): Promise<Answer<Readable>> {
      const file = fileIn(encoded)
      if (!file) return { kind: 'refused', code: 404, message: 'the message has no file' }
      const answer = await host.get(file.path, deadline)
      if (answer.kind !== 'done') return answer
      const { iv, cipherKey, macKey } = await getMediaKeys(file.mediaKey, file.type)
      if (!macKey) return { kind: 'refused', code: 404, message: 'the message has no key for its file' }
      const keys = { iv: Buffer.from(iv), cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey) }
      // Errors of the connection appear in the decrypted stream.
      const plain = pipeline(answer.value, openingStream({ ...keys, sha256: file.sha256 }), () => undefined)
      return { kind: 'done', value: plain }
    },
  }
}

const mediaTypeOf = (type: MediaKind): MediaType => (type === 'ptt' ? 'audio' : type)

function fileIn(encoded: Uint8Array) {
  const content = normalizeMessageContent(decodeMessage(encoded))
  const parts: [MediaType, object | null | undefined][] = [
    ['image', content?.imageMessage],
    ['video', content?.videoMessage ?? content?.ptvMessage],
    ['audio', content?.audioMessage],
    ['document', content?.documentMessage],
    ['sticker', content?.stickerMessage],
  ]
  const [type, part] = parts.find(([, found]) => found) ?? []
  if (!type || !part) return
  const { directPath, url, mediaKey, fileSha256 } = part as Partial<Record<string, string & Uint8Array>>
  const path = directPath || (url && URL.canParse(url) ? new URL(url).pathname : '')
  if (!path || !mediaKey?.length) return
  return {
    type,
    path: path as string,
    mediaKey: mediaKey as Uint8Array,
    sha256: fileSha256 ?? new Uint8Array(),
  }
}
