// What the network itself holds secret: made at the first run, kept ever after.
import type { DatabaseSync } from 'node:sqlite'
import { generateKeyPair, type KeyPair } from '../crypto/curve.ts'
import { blob } from './database.ts'

const HALF = 32

/** Made when it is asked for the first time. */
export function secret(database: DatabaseSync, name: string, make: () => Buffer): Buffer {
  const row = database.prepare('select value from secrets where name = ?').get(name)
  if (row !== undefined) return blob(row, 'value')
  const made = make()
  database.prepare('insert into secrets (name, value) values (?, ?)').run(name, made)
  return made
}

export function secretKeys(database: DatabaseSync, name: 'root' | 'server'): KeyPair {
  const value = secret(database, name, () => {
    const made = generateKeyPair()
    return Buffer.concat([made.public, made.private])
  })
  return { public: value.subarray(0, HALF), private: value.subarray(HALF) }
}
