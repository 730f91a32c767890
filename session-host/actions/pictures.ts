// Converts a caller's image into the picture that the network takes: a JPEG of at most 640x640, without metadata such as its place.

import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import { type ImageKind, imageKind } from '../first-bytes.ts'

const SIDE = 640
const MOST_PIXELS = 50_000_000

const TAKEN: readonly (ImageKind | undefined)[] = ['jpeg', 'png', 'gif']

export async function toPicture(bytes: Uint8Array): Promise<Outcome<Uint8Array>> {
  if (!TAKEN.includes(imageKind(bytes))) return refused('not_an_image')
  // Loaded on first use: it takes about 20 MB that most hosts never need.
  const { default: sharp } = await import('sharp')
  try {
    // Reads the header only; of an animation, that of the first frame.
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
    if (width * height > MOST_PIXELS) return refused('image_too_large', 'The image has over 50 megapixels.')
    const picture = await sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 85 })
      .timeout({ seconds: 10 })
      .toBuffer()
    return done(new Uint8Array(picture))
  } catch {
    return refused('not_an_image')
  }
}
