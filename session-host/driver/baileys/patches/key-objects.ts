// Apart from apply-patches.ts, because each patch is removed alone. Patch: converts keys that the libraries pass to node:crypto as bytes
// into key objects, which are faster.

import crypto, { createSecretKey } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Patch } from './patch.ts'

type TakesKey = (algorithm: string, key: unknown, ...rest: unknown[]) => unknown

const acceptBytes =
  (make: TakesKey): TakesKey =>
  (algorithm, key, ...rest) =>
    make(algorithm, key instanceof Uint8Array ? createSecretKey(key) : key, ...rest)

let done = false

function acceptByteKeys(): void {
  if (done) return
  done = true
  for (const name of ['createHmac', 'createCipheriv', 'createDecipheriv'] as const) {
    Object.assign(crypto, { [name]: acceptBytes(crypto[name] as TakesKey) })
  }
  syncBuiltinESMExports()
}

export const keyObjects: Patch = {
  name: 'key-objects',
  library: 'node@24.17',
  fault:
    'createHmac, createCipheriv and createDecipheriv need five times as long to check a key given as bytes as it takes to make a key object of it.',
  why: 'Some ten keys go with a message, in baileys as in libsignal.',
  upstream:
    'To file with nodejs/node: "crypto: createHmac and createCipheriv with a Uint8Array key are slower since 24.17 than createSecretKey and then the same call". With a loop of 100,000 HMACs over 32 bytes, both ways.',
  until: 'Node accepts bytes as fast as key objects, or baileys and libsignal pass key objects.',
  apply: acceptByteKeys,
}
