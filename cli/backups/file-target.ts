// Restores rows into a new file, all of them or none: the file appears when it is complete.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { assignOwner } from '../data-folder/assign-owner.ts'
import type { RowTarget } from './load-rows.ts'
import { type PendingRestore, rollBackAll } from './pending-restore.ts'

const STAGE = 'restoring'

/** `migrate` makes the tables in the file at this path. */
export async function restoreIntoFile(
  file: string,
  migrate: (path: string) => Promise<void>,
  load: (target: RowTarget) => Promise<void>,
): Promise<PendingRestore> {
  refuseData(file)
  const dataDir = dirname(dirname(file))
  deleteAbandonedStages(dataDir, basename(file))
  const stage = join(dataDir, `${STAGE}-${process.pid}-${basename(file)}`)
  const staged = join(stage, basename(file))
  let isFinished = false
  const rollBack = async () => {
    // First what a gateway would open.
    if (isFinished) rmSync(file)
    rmSync(stage, { recursive: true, force: true })
  }
  mkdirSync(stage, { recursive: true, mode: 0o700 })
  try {
    await migrate(staged)
    await fillTables(staged, load)
  } catch (error) {
    await rollBackAll([{ rollBack }])
    throw error
  }
  return {
    async finishRestore() {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      renameSync(staged, file)
      isFinished = true
      rmSync(stage, { recursive: true, force: true })
      assignOwner(dirname(file), dataDir)
    },
    rollBack,
  }
}

/** A log that a killed process has left beside a file that is gone would be applied to the restored one, which would damage it. */
function refuseData(file: string): void {
  const found = [file, `${file}-wal`].find((path) => existsSync(path))
  if (found) throw new OperatorError(`${found} exists already: restore where there is no data.`)
}

/** Of restores of this file that were killed: the lock of the folder says that no other one runs. */
function deleteAbandonedStages(dataDir: string, name: string): void {
  const left = existsSync(dataDir) ? readdirSync(dataDir) : []
  for (const one of left.filter((each) => each.startsWith(`${STAGE}-`) && each.endsWith(`-${name}`)))
    rmSync(join(dataDir, one), { recursive: true, force: true })
}

async function fillTables(path: string, load: (target: RowTarget) => Promise<void>): Promise<void> {
  const database = new DatabaseSync(path)
  try {
    database.exec('begin')
    // A backup of an earlier version may have rows before those that they refer to.
    database.exec('pragma defer_foreign_keys = on')
    await load({
      columnNames: async (table) =>
        database
          .prepare('select name from pragma_table_info(?)')
          .all(table)
          .map(({ name }) => String(name)),
      async insertRows(sql, rows) {
        const statement = database.prepare(sql)
        for (const row of rows) statement.run(...row)
      },
      async runStatement(sql, ...args) {
        database.prepare(sql).run(...(args as SQLInputValue[]))
      },
    })
    database.exec('commit')
  } finally {
    database.close()
  }
}
