// What the network stores about itself: its secrets, generated at the first run, and the ports of the last run.
import type { DatabaseSync } from 'node:sqlite'
import { generateKeyPair, type KeyPair } from '../crypto/curve.ts'
import { readBlob, readInteger } from './network-database.ts'

const KEY_BYTES = 32

/** Generated at the first call. */
export function ensureSecret(database: DatabaseSync, name: string, create: () => Buffer): Buffer {
  const row = database.prepare('select value from secrets where name = ?').get(name)
  if (row !== undefined) return readBlob(row, 'value')
  const secret = create()
  database.prepare('insert into secrets (name, value) values (?, ?)').run(name, secret)
  return secret
}

/** One secret: the public key, then the private one. */
export function ensureKeyPair(database: DatabaseSync, name: 'root' | 'server'): KeyPair {
  const value = ensureSecret(database, name, () => {
    const pair = generateKeyPair()
    return Buffer.concat([pair.public, pair.private])
  })
  return { public: value.subarray(0, KEY_BYTES), private: value.subarray(KEY_BYTES) }
}

/** The ports of the last run, so that they can be used again. */
export function createPortTable(database: DatabaseSync) {
  const get = database.prepare('select value from places where name = ?')
  const set = database.prepare('insert or replace into places values (?, ?)')
  return {
    /** 0 if there is none yet. */
    findPort(name: string): number {
      const row = get.get(name)
      return row === undefined ? 0 : readInteger(row, 'value')
    },
    setPort(name: string, port: number) {
      set.run(name, port)
    },
  }
}
