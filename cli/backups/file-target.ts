// Restores rows into a new file, all of them or none: the file appears when it is complete.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { giveToOwner } from '../data-folder/owner.ts'
import { Complaint } from '../settings/settings.ts'
import type { RowTarget } from './load-rows.ts'
import type { Restoring } from './server-target.ts'

/** `migrate` makes the tables in the file at this path. */
export async function fillFile(
  file: string,
  migrate: (path: string) => Promise<void>,
  load: (target: RowTarget) => Promise<void>,
): Promise<Restoring> {
  if (existsSync(file)) throw new Complaint(`${file} is there already: restore where there is no data.`)
  const dataDir = dirname(dirname(file))
  const stage = join(dataDir, `restoring-${process.pid}-${basename(file)}`)
  const staged = join(stage, basename(file))
  let isFinished = false
  const undo = async () => {
    rmSync(stage, { recursive: true, force: true })
    if (isFinished) rmSync(file)
  }
  mkdirSync(stage, { recursive: true, mode: 0o700 })
  try {
    await migrate(staged)
    await fill(staged, load)
  } catch (error) {
    await undo()
    throw error
  }
  return {
    async finish() {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      renameSync(staged, file)
      isFinished = true
      rmSync(stage, { recursive: true, force: true })
      giveToOwner(dirname(file), dataDir)
    },
    undo,
  }
}

async function fill(path: string, load: (target: RowTarget) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(path)
  try {
    database.exec('begin')
    await load({
      columnNames: async (table) =>
        database
          .prepare('select name from pragma_table_info(?)')
          .all(table)
          .map(({ name }) => String(name)),
      async insert(sql, rows) {
        const statement = database.prepare(sql)
        for (const row of rows) statement.run(...row)
      },
      async run(sql, ...args) {
        database.prepare(sql).run(...(args as SQLInputValue[]))
      },
    })
    database.exec('commit')
  } finally {
    database.close()
  }
}
