// The small picture that a phone shows while an image is not loaded yet.

import type { StoredFile } from '../driver.ts'

const WIDTH = 32

/** Undefined for what does not decode: it is sent all the same, without one. */
export async function previewOf(file: string): Promise<StoredFile['preview']> {
  try {
    const { default: sharp } = await import('sharp')
    const image = sharp(file, { limitInputPixels: 50_000_000 })
    const { width, height } = await image.metadata()
    const jpeg = await image.autoOrient().resize(WIDTH).jpeg({ quality: 50 }).toBuffer()
    return { jpegThumbnail: new Uint8Array(jpeg), width, height }
  } catch {
    return undefined
  }
}
