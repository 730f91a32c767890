// Apart from decoder-main.ts, because the network has its own terms for these: converts a caller's image into the picture that the network takes: a JPEG of at most 640x640, without metadata such as its place.

import { writeFile } from 'node:fs/promises'
import { type ImageKind, readImageKind } from './image-kind.ts'
import { type MediaResult, RefusedFile } from './media-job.ts'

const SIDE = 640
const MAX_PIXELS = 50_000_000
const SECONDS = 10

const ACCEPTED_KINDS: readonly (ImageKind | undefined)[] = ['jpeg', 'png', 'gif']

/** Writes it to `output`. Throws RefusedFile. */
export async function makePicture(input: string, output: string): Promise<MediaResult> {
  if (!ACCEPTED_KINDS.includes(await readImageKind(input))) throw createNoImage()
  const { sharp } = await import('./picture-decoder.ts')
  // Reads the header only; of an animation, that of the first frame.
  const { width, height } = await sharp(input, { limitInputPixels: false }).metadata().catch(refuseImage)
  if (width * height > MAX_PIXELS)
    throw new RefusedFile('image_too_large', 'The image has over 50 megapixels.')
  const picture = await sharp(input, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .autoOrient()
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 85 })
    .timeout({ seconds: SECONDS })
    .toBuffer()
    .catch(refuseImage)
  await writeFile(output, picture)
  return { mimetype: 'image/jpeg', details: {}, converted: true }
}

const createNoImage = () => new RefusedFile('not_an_image', 'The image is not a JPEG, PNG or GIF.')

const refuseImage = (): never => {
  throw createNoImage()
}
