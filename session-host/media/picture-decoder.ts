// The decoder of pictures, as a decoder's process uses it: one picture at a time, on one thread, and nothing of it is remembered.

import sharp from 'sharp'

sharp.concurrency(1)
sharp.cache(false)

export { sharp }
