// The folder of one run of the tests, for the gateways that its files borrow: they end with the processes that started them, and it is deleted
// when they have.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import type { TestProject } from 'vitest/node'
import { until } from './until.ts'

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string
  }
}

export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'test-run-'))
  project.provide('runFolder', folder)
  return async () => {
    await until(() => readdirSync(folder).every((name) => !readRun(join(folder, name))))
    rmSync(folder, { recursive: true, force: true })
  }
}
