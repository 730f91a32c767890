// LABORATORY moves the clock of a gateway: one whose devices are people's refuses it, in each of its processes.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { quickArgs, quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { expect, onTestFinished, test } from 'vitest'

const live = { NETWORK: 'live', LABORATORY: 'on' }
const host = {
  EDGE_URL: 'http://127.0.0.1:1',
  HOST_TOKEN: `mgh_${'a'.repeat(43)}`,
  HOST_SEAL_KEYS: `a:${'A'.repeat(43)}=`,
}

test.each([
  ['the whole gateway', 'cli/start.ts', {}],
  ['a host that runs alone', 'session-host/run-host.ts', host],
])(
  '%s with the live network refuses LABORATORY by name',
  (_, program, env) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'laboratory-refused-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const { status, stderr } = spawnSync(process.execPath, [...quickArgs, join(projectRoot, program)], {
      env: { PATH: process.env.PATH, ...quickEnv, DATA_DIR: dataDir, ...live, ...env },
      encoding: 'utf8',
    })
    expect([status, stderr.trim()]).toEqual([
      1,
      'LABORATORY moves the clock, so it is for the simulated network only: leave it out.',
    ])
  },
  180_000,
)
