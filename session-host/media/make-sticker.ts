// Makes the sticker that phones show: WebP of 512x512, still or moving, in the size that they load.

import { stat, writeFile } from 'node:fs/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Metadata } from 'sharp'
import { readImageKind } from './image-kind.ts'
import { type MediaResult, UnsupportedFile } from './media-job.ts'

const STICKER_SIDE = 512
const KIB = 1024
const MAX_STILL_BYTES = 100 * KIB
const MAX_MOVING_BYTES = 500 * KIB
const MAX_PIXELS = 50_000_000
const MAX_FRAMES = 200
/** For all qualities together. */
const MAX_MS = 15 * SECOND
/** Each is tried if the one before it made too large a file. */
const QUALITIES = [80, 55, 35, 15, 1]

/** Throws UnsupportedFile for what is no picture, or one that cannot become small enough. */
export async function makeSticker(input: string, output: string): Promise<MediaResult> {
  const kind = await readImageKind(input)
  if (!kind) throw new UnsupportedFile('must be a PNG, JPEG, GIF or WebP for type sticker')
  const { sharp } = await import('./picture-decoder.ts')
  const options = { animated: true, limitInputPixels: false, failOn: 'error' } as const
  const metadata = await sharp(input, options).metadata().catch(refuseDamaged)
  const { isMoving, maxBytes } = validateSize(metadata)
  const details = { ...(isMoving && { isAnimated: true }) }
  if (kind === 'webp' && isSticker(metadata) && (await stat(input)).size <= maxBytes)
    return { mimetype: 'image/webp', details, converted: false }
  const endAt = performance.now() + MAX_MS
  for (const quality of QUALITIES) {
    const leftMs = endAt - performance.now()
    if (leftMs <= 0) return refuseDamaged()
    const sticker = await sharp(input, options)
      .autoOrient()
      .resize(STICKER_SIDE, STICKER_SIDE, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .webp({ quality, alphaQuality: quality, effort: isMoving ? 2 : 4, loop: metadata.loop ?? 0 })
      .timeout({ seconds: Math.ceil(leftMs / SECOND) })
      .toBuffer()
      .catch(refuseDamaged)
    if (sticker.length > maxBytes) continue
    await writeFile(output, sticker)
    return { mimetype: 'image/webp', details, converted: true }
  }
  throw new UnsupportedFile(`is still over ${maxBytes / KIB} KiB as a sticker of the lowest quality`)
}

const refuseDamaged = (): never => {
  throw new UnsupportedFile('is damaged, or takes too long to decode')
}

function validateSize({ width, height, pageHeight, pages = 1 }: Metadata) {
  const frameHeight = pageHeight ?? height
  if (pages > MAX_FRAMES) throw new UnsupportedFile(`has over ${MAX_FRAMES} frames`)
  if (width * frameHeight * pages > MAX_PIXELS) throw new UnsupportedFile('has over 50 megapixels')
  const isMoving = pages > 1
  return { isMoving, maxBytes: isMoving ? MAX_MOVING_BYTES : MAX_STILL_BYTES }
}

const isSticker = ({ width, height, pageHeight }: Metadata): boolean =>
  width === STICKER_SIDE && (pageHeight ?? height) === STICKER_SIDE
