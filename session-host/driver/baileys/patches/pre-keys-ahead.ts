// Patch: the keys that a device uploads when it is linked are made before, a few at a time.

import { setTimeout as wait } from 'node:timers/promises'
import { Curve } from 'baileys'
import { INITIAL_PREKEY_COUNT } from 'baileys/lib/Defaults/index.js'
import { type CurveKeys, makeKeyPair } from './compiled-curve.ts'
import type { Patch } from './patch.ts'

/** Made in one piece: under a millisecond. */
const PIECE = 4
/** Before each piece. */
const PAUSE_MS = 1

/** Each is used once. */
const ready: CurveKeys[] = []
let making: Promise<void> | undefined

/** Makes as many as one linking takes, unless they are there. What it has not made yet is made when it is used. */
export async function makePreKeysAhead(): Promise<void> {
  if (ready.length >= INITIAL_PREKEY_COUNT) return
  making ??= makeMissing().finally(() => {
    making = undefined
  })
  return making
}

async function makeMissing(): Promise<void> {
  while (ready.length < INITIAL_PREKEY_COUNT) {
    await wait(PAUSE_MS)
    for (let made = 0; made < PIECE; made += 1) ready.push(makeKeyPair())
  }
}

function takePair(): CurveKeys {
  const pair = ready.pop()
  // For the next linking, which may come at once. A host that links no device makes none.
  if (pair) void makePreKeysAhead()
  return pair ?? makeKeyPair()
}

export const preKeysAhead: Patch = {
  name: 'pre-keys-ahead',
  library: 'baileys@7.0.0-rc14',
  fault:
    'A newly linked device generates the 812 keys that it uploads in one go, which blocks the event loop.',
  why: 'Each linking stopped all sessions of a host for 120 ms, more than anything else did.',
  upstream:
    'To file with WhiskeySockets/Baileys: "generateOrGetPreKeys makes 812 key pairs in one turn of the event loop". With the time of that turn.',
  until: 'generateOrGetPreKeys generates them in pieces, or keys can be passed in.',
  apply() {
    Curve.generateKeyPair = takePair
  },
}
