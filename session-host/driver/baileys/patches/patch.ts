// The description of a patch, and the copies of libraries that baileys uses.

import { createRequire } from 'node:module'

export interface PatchSettings {
  /** The root key of the network's certificates; the real network's by default. */
  rootKey?: Buffer<ArrayBuffer> | undefined
}

export interface Patch {
  name: string
  /** `name@version`: under another version the fault may be gone, or in another place. */
  library: string
  /** The fault in the library. */
  fault: string
  /** Its effect here. */
  why: string
  /** The issue upstream, or its text if it is not filed yet. */
  upstream: string
  /** When the patch can go. */
  until: string
  /** Changes the library for the whole process. A second call with the same settings changes nothing. */
  apply(settings: PatchSettings): void
}

const fromHere = createRequire(import.meta.url)

/** The copy of a library that baileys uses. Another may be installed beside it: a patch of that one would change nothing. */
export const fromBaileys = createRequire(fromHere.resolve('baileys'))

export const libsignal = fromBaileys('libsignal') as typeof import('libsignal')
