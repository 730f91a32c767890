// One-time keys: those that companions uploaded, and those that phones make on request.
import type { DatabaseSync } from 'node:sqlite'
import { generateKeyPair, type KeyPair } from '../crypto/curve.ts'
import { readBlob, readInteger } from './network-database.ts'

export type PreKey = { id: number; public: Buffer }

/** Bundles are often fetched and never used; a phone stores this many unused keys. */
const MAX_PHONE_KEYS = 300

export function createPreKeyTable(database: DatabaseSync) {
  const add = database.prepare('insert or replace into pre_keys values (?, ?, ?, ?)')
  const count = database.prepare('select count(*) as n from pre_keys where number = ? and device = ?')
  const list = database.prepare('select id, public from pre_keys where number = ? and device = ? order by id')
  const take = database.prepare(`delete from pre_keys where number = ?1 and device = ?2 and id =
    (select min(id) from pre_keys where number = ?1 and device = ?2) returning id, public`)
  const addOwn = database.prepare(
    'insert into phone_pre_keys (number, public, private) values (?, ?, ?) returning id',
  )
  const trimOwn = database.prepare(`delete from phone_pre_keys where number = ?1 and id <=
    (select id from phone_pre_keys where number = ?1 order by id desc limit 1 offset ${MAX_PHONE_KEYS})`)
  const findOwn = database.prepare('select public, private from phone_pre_keys where number = ? and id = ?')
  const dropOwn = database.prepare('delete from phone_pre_keys where number = ? and id = ?')

  return {
    addUploaded(number: string, device: number, keys: PreKey[]) {
      database.exec('begin')
      for (const key of keys) add.run(number, device, key.id, key.public)
      database.exec('commit')
    },
    countKeys(number: string, device: number): number {
      return readInteger(count.get(number, device) ?? {}, 'n')
    },
    listKeys(number: string, device: number): PreKey[] {
      return list
        .all(number, device)
        .map((row) => ({ id: readInteger(row, 'id'), public: readBlob(row, 'public') }))
    },
    /** Takes a key, which is then used up; undefined if none is left. */
    takeKey(number: string, device: number): PreKey | undefined {
      const row = take.get(number, device)
      return row && { id: readInteger(row, 'id'), public: readBlob(row, 'public') }
    },
    createForPhone(number: string): PreKey {
      const pair = generateKeyPair()
      const row = addOwn.get(number, pair.public, pair.private)
      trimOwn.run(number)
      return { id: readInteger(row ?? {}, 'id'), public: pair.public }
    },
    findForPhone(number: string, id: number): KeyPair | undefined {
      const row = findOwn.get(number, id)
      return row && { public: readBlob(row, 'public'), private: readBlob(row, 'private') }
    },
    deleteForPhone(number: string, id: number) {
      dropOwn.run(number, id)
    },
  }
}
