// A host's write-ahead log, which another thread folds into the file while commits follow each other without a pause.

import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Guard } from '@msgnet/session-host/store/store-guard.ts'
import { startCheckpoints } from '@msgnet/shared/node/checkpoints.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { expect, test } from 'vitest'

/** Ten times what it takes on a quiet machine; a log that waits for a pause needs millions, if it is ever begun anew. */
const MAX_COMMITS = 300_000

/** How often the log was begun anew, as its header counts it. */
function countBegun(file: string): number {
  const log = openSync(`${file}-wal`, 'r')
  const header = Buffer.alloc(16)
  readSync(log, header, 0, 16, 0)
  closeSync(log)
  return header.readUInt32BE(12)
}

test('a write-ahead log under steady writes is restarted repeatedly, and no commit fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const file = join(folder, 'host.db')
  const local = new LocalFile(file)
  const guard = new Guard()
  local.commit(['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)'])
  const failed: unknown[] = []
  const checkpoints = startCheckpoints(file, (error) => failed.push(error), {
    everyMs: 20,
    maxPages: 100,
  })
  let written = 0
  while (countBegun(file) < 5 && written < MAX_COMMITS) {
    for (let n = 0; n < 50; n++, written++)
      await guard.runWrite(() =>
        local.commit([{ sql: 'INSERT INTO notes (text) VALUES (?)', args: [`note ${written}`] }]),
      )
    await turn()
  }
  expect(countBegun(file)).toBeGreaterThanOrEqual(5)
  expect(failed).toEqual([])
  await checkpoints.stop()
  local.close()
  const again = new LocalFile(file)
  expect(again.execute('SELECT count(*) AS notes FROM notes').rows[0]).toMatchObject({ 0: written })
  again.close()
  rmSync(folder, { recursive: true })
}, 60_000)
