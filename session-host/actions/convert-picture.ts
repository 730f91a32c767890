// Converts a caller's image into the picture that the network takes: a JPEG of at most 640x640, without metadata such as its place.

import { createDoneOutcome, createRefusal, type Outcome } from '../../shared/wire/outcome.ts'
import { detectImageKind, type ImageKind } from '../image-kind.ts'

const SIDE = 640
const MAX_PIXELS = 50_000_000

const ACCEPTED_KINDS: readonly (ImageKind | undefined)[] = ['jpeg', 'png', 'gif']

export async function toPicture(bytes: Uint8Array): Promise<Outcome<Uint8Array>> {
  if (!ACCEPTED_KINDS.includes(detectImageKind(bytes))) return createRefusal('not_an_image')
  // Loaded on first use: it takes about 20 MB that most hosts never need.
  const { default: sharp } = await import('sharp')
  try {
    // Reads the header only; of an animation, that of the first frame.
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
    if (width * height > MAX_PIXELS)
      return createRefusal('image_too_large', 'The image has over 50 megapixels.')
    const picture = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 85 })
      .timeout({ seconds: 10 })
      .toBuffer()
    return createDoneOutcome(new Uint8Array(picture))
  } catch {
    return createRefusal('not_an_image')
  }
}
