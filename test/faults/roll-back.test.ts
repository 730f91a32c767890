// A restore that fails undoes each part that it had begun, and none begins where data is left.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restoreIntoFile } from '@msgnet/cli/backups/file-target.ts'
import { rollBackAll } from '@msgnet/cli/backups/pending-restore.ts'
import { expect, onTestFinished, test } from 'vitest'

test('a part that cannot be undone is named, and the others are undone all the same', async () => {
  const undone: string[] = []
  const lines: string[] = []
  const undo = (side: string, fault?: string) => ({
    async rollBack() {
      if (fault) throw new Error(fault)
      undone.push(side)
    },
  })
  await rollBackAll([undo('host', 'ECONNREFUSED'), undo('edge')], (line) => lines.push(line))
  expect(undone).toEqual(['edge'])
  expect(lines).toEqual(['Some of what was restored is left: it cannot be removed (ECONNREFUSED).'])
})

const empty = async () => undefined

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'roll-back-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a restore deletes what one that was killed has written beside the data', async () => {
  const folder = createFolder()
  for (const name of ['restoring-7-host.db', 'restoring-7-edge.db']) mkdirSync(join(folder, name))
  const pending = await restoreIntoFile(join(folder, 'host', 'host.db'), empty, empty)
  expect(readdirSync(folder).sort()).toEqual(
    [`restoring-${process.pid}-host.db`, 'restoring-7-edge.db'].sort(),
  )
  await pending.rollBack()
  expect(readdirSync(folder)).toEqual(['restoring-7-edge.db'])
})

test('nothing is restored beside the write-ahead log that a killed gateway has left of a file that was deleted', async () => {
  const folder = createFolder()
  const file = join(folder, 'host', 'host.db')
  mkdirSync(join(folder, 'host'))
  writeFileSync(`${file}-wal`, 'pages of the deleted file')
  await expect(restoreIntoFile(file, empty, empty)).rejects.toThrow(
    `${file}-wal exists already: restore where there is no data.`,
  )
  expect(readdirSync(folder)).toEqual(['host'])
})
