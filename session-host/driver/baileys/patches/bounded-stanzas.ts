// Patch: a stanza has a number of nodes at most.

import { TAGS } from 'baileys/lib/WABinary/constants.js'
import type { Patch } from './patch.ts'

/** The list of all groups of an account has a node for each member of each group. Decoding this many takes most of a second. */
const MAX_NODES = 500_000

const { LIST_EMPTY } = TAGS
let nodes = 0
let counting = false

/** The decoder compares the first byte of each node with this tag, once: it is called where a node begins. */
function countNode(): typeof LIST_EMPTY {
  if (!counting) {
    counting = true
    // A stanza is decoded in one go.
    queueMicrotask(() => {
      counting = false
      nodes = 0
    })
  }
  nodes += 1
  if (nodes > MAX_NODES) {
    // This ends the stanza. The next one may be decoded before that microtask, and has its own count.
    nodes = 0
    throw new Error('a stanza of too many nodes')
  }
  return LIST_EMPTY
}

export const boundedStanzas: Patch = {
  name: 'bounded-stanzas',
  library: 'baileys@7.0.0-rc14',
  fault: 'A frame is decoded without a limit on the number of its nodes.',
  why: 'A frame of 16 MB may have five million nodes, which take 6 seconds and 800 MB, while all other sessions of the process wait.',
  upstream:
    'To file with WhiskeySockets/Baileys: "decodeDecompressedBinaryNode has no limit of nodes". With a frame of 16 MB in nodes of three bytes.',
  until: 'decodeDecompressedBinaryNode counts the nodes of a frame.',
  apply() {
    Object.defineProperty(TAGS, 'LIST_EMPTY', { configurable: true, enumerable: true, get: countNode })
  },
}
