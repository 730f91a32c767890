// The key pairs of the network itself: made at the first run, kept ever after.
import type { DatabaseSync } from 'node:sqlite'
import { generateKeyPair, type KeyPair } from '../crypto/curve.ts'
import { blob } from './database.ts'

const HALF = 32

export function secretKeys(database: DatabaseSync, name: 'root' | 'server'): KeyPair {
  const row = database.prepare('select value from secrets where name = ?').get(name)
  if (row !== undefined) {
    const value = blob(row, 'value')
    return { public: value.subarray(0, HALF), private: value.subarray(HALF) }
  }
  const made = generateKeyPair()
  database
    .prepare('insert into secrets (name, value) values (?, ?)')
    .run(name, Buffer.concat([made.public, made.private]))
  return made
}
