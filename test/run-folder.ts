// The folder of one run of the tests: for the gateways that its files borrow, which end after the last file, and for the list of all
// starts of gateways. It is deleted when they have ended.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { GatewayLender } from './gateway-lender.ts'
import { chooseRange } from './reserved-ports.ts'
import { STARTS_FILE } from './started-gateways.ts'
import { until } from './until.ts'

const report = join(import.meta.dirname, '..', '.build', 'gateway-starts.txt')

export default async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'test-run-'))
  const lender = new GatewayLender(folder)
  // The processes that run the files begin later, and read them there.
  process.env.TEST_RUN_FOLDER = folder
  process.env.TEST_LENDER = await lender.listen()
  process.env.TEST_PORTS = String(chooseRange())
  return async () => {
    await lender.close()
    await until(() => !readdirSync(folder).some((name) => isRunning(join(folder, name))), { within: 30_000 })
    reportStarts(join(folder, STARTS_FILE))
    // Their parts may write until they have stopped.
    rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  }
}

function isRunning(dataDir: string): boolean {
  const run = readRun(dataDir)
  try {
    return run !== undefined && process.kill(run.pid, 0)
  } catch {
    // It was killed.
    return false
  }
}

function reportStarts(file: string): void {
  if (!existsSync(file)) return
  const counts = new Map<string, number>()
  const starts = readFileSync(file, 'utf8').trim().split('\n')
  for (const path of starts) counts.set(path, (counts.get(path) ?? 0) + 1)
  const rows = [...counts].sort(([, one], [, other]) => other - one)
  mkdirSync(join(report, '..'), { recursive: true })
  writeFileSync(report, rows.map(([path, count]) => `${count} ${path}\n`).join(''))
  console.log(
    `Gateways were started ${starts.length} times, by ${counts.size} files: .build/gateway-starts.txt`,
  )
}
