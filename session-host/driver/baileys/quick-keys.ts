// The libraries of the network hand node:crypto their keys as bytes. From 24.17 on Node takes five times as long to look at
// those as to make a key of them, and there are some ten to a message.

import crypto, { createSecretKey } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type TakesKey = (algorithm: string, key: unknown, ...rest: unknown[]) => unknown

const quick =
  (make: TakesKey): TakesKey =>
  (algorithm, key, ...rest) =>
    make(algorithm, key instanceof Uint8Array ? createSecretKey(key) : key, ...rest)

let done = false

export function makeKeysQuick(): void {
  if (done) return
  done = true
  for (const name of ['createHmac', 'createCipheriv', 'createDecipheriv'] as const) {
    Object.assign(crypto, { [name]: quick(crypto[name] as TakesKey) })
  }
  syncBuiltinESMExports()
}
