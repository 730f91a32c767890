// A part of the gateway that does not start: the start names the reason.

import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Part } from '@msgnet/cli/processes/part.ts'
import { Reaper } from '@msgnet/cli/processes/reaper.ts'
import { expect, test } from 'vitest'

/** Whose processes end when the start is killed. */
class SeenReaper extends Reaper {
  readonly pids = new Set<number>()

  override addPid(pid: number): void {
    this.pids.add(pid)
    super.addPid(pid)
  }

  override removePid(pid: number): void {
    this.pids.delete(pid)
    super.removePid(pid)
  }
}

test('a part whose port is taken meanwhile names the error and the port, and its process is forgotten', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'part-'))
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const reaper = new SeenReaper()
  const part = new Part(
    {
      name: 'listener',
      command: process.execPath,
      env: {},
      stopTimeoutMs: 1000,
      args: ['--eval', `require('node:net').createServer().listen(${port}, '127.0.0.1')`],
      logFile: join(folder, 'log'),
      waitUntilReady: () => new Promise<void>(() => undefined),
    },
    {
      reaper,
      logs: { maxMb: 10 },
      printLine: () => undefined,
      onRestarted: () => undefined,
    },
  )
  try {
    await expect(part.started).rejects.toThrow(new RegExp(`did not start: .*EADDRINUSE.*${port}`, 's'))
    // The system may give its id to another program.
    expect([...reaper.pids]).toEqual([])
  } finally {
    await part.stop()
    reaper.stop()
    taken.close()
    rmSync(folder, { recursive: true })
  }
})
