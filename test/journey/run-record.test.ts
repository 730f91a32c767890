// What the file of a running gateway says to a command: a file that cannot be read says nothing, and is not taken for one that is not there.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { expect, onTestFinished, test } from 'vitest'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'run-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('nothing runs on a folder without the file, on one that is not there, and where a loss of power has cut it off', () => {
  const folder = createFolder()
  expect(readRun(folder)).toBeUndefined()
  expect(readRun(join(folder, 'nowhere'))).toBeUndefined()
  writeFileSync(join(folder, 'running.json'), '')
  expect(readRun(folder)).toBeUndefined()
  expect(readRun(join(folder, 'running.json'))).toBeUndefined()
})

test('a file that cannot be read is named, with the reason', () => {
  const folder = createFolder()
  // No user can read a folder as a file, and the user of the tests may read all files.
  mkdirSync(join(folder, 'running.json'))
  expect(() => readRun(folder)).toThrow(OperatorError)
  expect(() => readRun(folder)).toThrow(`${join(folder, 'running.json')} cannot be read (EISDIR)`)
})
