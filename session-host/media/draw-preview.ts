// Apart from decoder-main.ts, because only images have one: draws the small preview that a phone shows until an image is loaded.

import { type ImageKind, readImageKind } from './image-kind.ts'
import { type MediaResult, UnsupportedFile } from './media-job.ts'

/** Of a picture that is nearly all height, the preview is narrower. */
const BEFORE_LOADED = { width: 32, maxHeight: 512, quality: 50 }
/** Beside a link there is nothing to be loaded. */
export const LINK_PICTURE = { width: 192, maxHeight: 192, quality: 70 }
const PREVIEW_FORMATS: readonly (ImageKind | undefined)[] = ['jpeg', 'png', 'webp']
const MAX_PIXELS = 50_000_000
const SECONDS = 5

/** Throws for a file that is no photograph or does not decode in time: it is sent without a preview. */
export async function drawPreview(path: string, size = BEFORE_LOADED): Promise<MediaResult> {
  if (!PREVIEW_FORMATS.includes(await readImageKind(path))) throw new UnsupportedFile('is no photograph')
  const { sharp } = await import('./picture-decoder.ts')
  const image = sharp(path, { limitInputPixels: MAX_PIXELS })
  // Of a photograph that was taken with the camera on its side, those of the picture as it is shown.
  const { width, height } = (await image.metadata()).autoOrient
  const small = image
    .autoOrient()
    .resize(size.width, size.maxHeight, { fit: 'inside' })
    .jpeg({ quality: size.quality })
    .timeout({ seconds: SECONDS })
  const jpegThumbnail = new Uint8Array(await small.toBuffer())
  return { mimetype: 'image/jpeg', details: { jpegThumbnail, width, height }, converted: false }
}
