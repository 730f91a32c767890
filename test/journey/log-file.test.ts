// Log files: their size is bounded, and a disk without room costs lines and never the process that writes them.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogFile } from '@msgnet/cli/processes/log-file.ts'
import { expect, onTestFinished, test } from 'vitest'

const MIB = 1024 * 1024

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'log-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('lines wait while a disk is full, those above a limit are dropped, and a line counts them', () => {
  const path = join(createFolder(), 'edge.log')
  // Each write to this device fails as on a full disk.
  symlinkSync('/dev/full', path)
  const log = new LogFile(path, 10)
  for (let n = 0; n < 1500; n++) log.write(Buffer.from(`${String(n).padStart(1023)}\n`))

  rmSync(path)
  log.write(Buffer.from('the last before there is room\n'))
  log.close()
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ +0$/)
  expect(lines.at(-2)).toMatch(/^ +1023$/)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    level: 'warn',
    msg: 'log lines dropped',
    lines: 477,
  })
})

test('lines are dropped while the folder is missing', () => {
  const path = join(createFolder(), 'logs', 'edge.log')
  const log = new LogFile(path, 10)
  log.write(Buffer.from('one\n'))
  log.close()
  expect(statSync(join(path, '..'), { throwIfNoEntry: false })).toBeUndefined()
})

test('all files of one log together stay within their limit and contain the newest lines', () => {
  const folder = createFolder()
  const log = new LogFile(join(folder, 'edge.log'), 2)
  for (let n = 0; n < 8000; n++) log.write(Buffer.from(`${String(n).padStart(1023)}\n`))
  log.close()
  const files = readdirSync(folder)
  const bytes = files.map((file) => statSync(join(folder, file)).size).reduce((sum, size) => sum + size)
  expect(bytes).toBeLessThanOrEqual(2 * MIB)
  expect(bytes).toBeGreaterThan(1.5 * MIB)
  expect(readFileSync(join(folder, 'edge.log'), 'utf8').trimEnd()).toMatch(/ 7999$/)
})
