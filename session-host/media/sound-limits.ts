// Limits of what the head of a sound may say: its numbers are multiplied by what follows, so they are judged before anything is made.

import { UnsupportedFile } from './media-job.ts'

/** Samples per second: from those of telephones to those of studios. */
const MIN_RATE = 4000
const MAX_RATE = 192_000
/** As many as a cinema has. */
const MAX_CHANNELS = 8

/** Throws UnsupportedFile. Also called for each decoded piece, since a packet may say something else than the head of the file. */
export function validateSound({
  sampleRate,
  numberOfChannels,
}: {
  sampleRate: number
  numberOfChannels: number
}): void {
  if (!(sampleRate >= MIN_RATE && sampleRate <= MAX_RATE))
    throw new UnsupportedFile('has a sample rate that is not between 4,000 and 192,000 Hz')
  if (!(numberOfChannels >= 1 && numberOfChannels <= MAX_CHANNELS))
    throw new UnsupportedFile(`has over ${MAX_CHANNELS} channels`)
}
