// The file of a bridge. What it has stored survives a kill and a loss of power.

import { DatabaseSync } from 'node:sqlite'

const { DATABASE = 'bridge.db' } = process.env

export const database = new DatabaseSync(DATABASE)
database.exec('pragma journal_mode = wal; pragma synchronous = full')
database.exec(
  'create table if not exists kept (name text primary key, value text not null, at integer not null)',
)
// The gateway delivers an event again for four days.
const deleteOldSql = `delete from kept where at < ? and (name like 'event %' or name like 'answer %')`
database.prepare(deleteOldSql).run(Date.now() - 7 * 24 * 3_600_000)
const read = database.prepare('select value from kept where name = ?')
const write = database.prepare('insert or replace into kept (name, value, at) values (?, ?, ?)')

/** Values that survive a restart, by name. */
export const storedValues = {
  get: (name: string) => read.get(name)?.value as string | undefined,
  set: (name: string, value: string) => void write.run(name, value, Date.now()),
}
