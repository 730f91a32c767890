// What is said of each mend of a library, and the libsignal that baileys itself uses.

import { createRequire } from 'node:module'

export interface PatchSettings {
  /** The key that the network's certificates must end in; the genuine network's unless given. */
  rootKey?: Buffer<ArrayBuffer> | undefined
}

export interface Patch {
  name: string
  /** `name@version`: under another version the fault may be gone, or somewhere else. */
  library: string
  /** What the library does. */
  fault: string
  /** What came of it here. */
  why: string
  /** The issue upstream, or its text where nobody has filed it. */
  upstream: string
  /** When the patch can go. */
  until: string
  /** Changes the library for the whole process. A second time changes nothing more, but for other settings. */
  apply(settings: PatchSettings): void
}

const fromHere = createRequire(import.meta.url)

/** Another copy may be installed beside it: a patch of that one would change nothing. */
export const libsignal = createRequire(fromHere.resolve('baileys'))('libsignal') as typeof import('libsignal')
