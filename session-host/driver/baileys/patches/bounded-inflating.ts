// Apart from apply-patches.ts, because each patch is removed alone. Patch: what is inflated ends in an error when it grows too large.

import { createInflate, type Inflate } from 'node:zlib'
import type { Patch } from './patch.ts'

/** A frame has 16 MiB at most; history and settings of an account, which are the largest contents, some tens of MiB. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024

/** The class that `inflate` and `createInflate` make, by whatever name they were imported. */
const inflatePrototype = Object.getPrototypeOf(createInflate()) as Inflate
const push = inflatePrototype.push
const inflatedBytes = new WeakMap<Inflate, number>()

function pushUpToLimit(this: Inflate, chunk: Buffer | null, encoding?: BufferEncoding): boolean {
  const bytes = (inflatedBytes.get(this) ?? 0) + (chunk?.length ?? 0)
  inflatedBytes.set(this, bytes)
  if (bytes <= MAX_INFLATED_BYTES) return push.call(this, chunk, encoding)
  this.destroy(new Error('inflated to more than is taken'))
  return false
}

export const boundedInflating: Patch = {
  name: 'bounded-inflating',
  library: 'baileys@7.0.0-rc14',
  fault: 'Frames, and the history that a phone sends, are inflated to any size.',
  why: 'A frame of 1 MB may be one of 1 GB, which all sessions of the process pay for.',
  upstream:
    'To file with WhiskeySockets/Baileys: "decodeBinaryNode and downloadHistory inflate without maxOutputLength". With a frame of 1 MB that inflates to 1 GB.',
  until: 'The library passes maxOutputLength to zlib.',
  apply() {
    inflatePrototype.push = pushUpToLimit
  },
}
