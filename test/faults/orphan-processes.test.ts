// What is started for a program ends with it, also when that program is killed and can end nothing.
// @module-tag slow

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { RunRecord } from '@msgnet/cli/data-folder/run-record.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const isPartRunning = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

test('killed tests leave no gateway running', { timeout: 120_000 }, async () => {
  const world = join(import.meta.dirname, '..', 'world.ts')
  const script = `const { startWorld } = await import(${JSON.stringify(world)})
    const { dataDir, run } = await startWorld()
    console.log(JSON.stringify({ dataDir, run }))`
  const tests = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(tests.stdout), 'line')
  const { dataDir, run }: { dataDir: string; run: RunRecord } = JSON.parse(line)
  const parts = [run.baseUrl, run.simulatorUrl, run.metricsUrl, run.edgeMetricsUrl]
  const countRunning = async () => (await Promise.all(parts.map(isPartRunning))).filter(Boolean).length
  expect(await countRunning()).toBe(parts.length)
  tests.kill('SIGKILL')
  try {
    await until(async () => (await countRunning()) === 0, { within: 50_000 })
  } finally {
    for (const pid of [run.pid, ...Object.values(run.parts)].filter(isRunning)) process.kill(pid, 'SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
