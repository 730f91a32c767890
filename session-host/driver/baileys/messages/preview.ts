// Apart from media-transfers.ts, because it is about pictures: makes the small preview that a phone shows until an image is loaded.

import { open } from 'node:fs/promises'
import { detectImageKind, FIRST_BYTES, type ImageKind } from '../../../image-kind.ts'
import type { StoredFile } from '../../driver.ts'

const WIDTH = 32
const PREVIEW_FORMATS: readonly (ImageKind | undefined)[] = ['jpeg', 'png', 'webp']
const SECONDS = 5

/** Undefined for a file that is no photograph or does not decode in time: it is sent without a preview. */
export async function createPreview(file: string): Promise<StoredFile['preview']> {
  try {
    if (!PREVIEW_FORMATS.includes(await readImageKind(file))) return undefined
    const { default: sharp } = await import('sharp')
    const image = sharp(file, { limitInputPixels: 50_000_000 })
    const { width, height } = await image.metadata()
    const small = image.autoOrient().resize(WIDTH).jpeg({ quality: 50 }).timeout({ seconds: SECONDS })
    const jpeg = await small.toBuffer()
    return { jpegThumbnail: new Uint8Array(jpeg), width, height }
  } catch {
    return undefined
  }
}

async function readImageKind(file: string): Promise<ImageKind | undefined> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(new Uint8Array(FIRST_BYTES), 0, FIRST_BYTES)
    return detectImageKind(buffer)
  } finally {
    await handle.close()
  }
}
