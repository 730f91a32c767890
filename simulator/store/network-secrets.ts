// The secrets of the network itself, generated at the first run.
import type { DatabaseSync } from 'node:sqlite'
import { generateKeyPair, type KeyPair } from '../crypto/curve.ts'
import { readBlob } from './network-database.ts'

const HALF = 32

/** Generated at the first call. */
export function ensureSecret(database: DatabaseSync, name: string, make: () => Buffer): Buffer {
  const row = database.prepare('select value from secrets where name = ?').get(name)
  if (row !== undefined) return readBlob(row, 'value')
  const made = make()
  database.prepare('insert into secrets (name, value) values (?, ?)').run(name, made)
  return made
}

export function ensureKeyPair(database: DatabaseSync, name: 'root' | 'server'): KeyPair {
  const value = ensureSecret(database, name, () => {
    const made = generateKeyPair()
    return Buffer.concat([made.public, made.private])
  })
  return { public: value.subarray(0, HALF), private: value.subarray(HALF) }
}
