// EDGE_ENGINE=miniflare in a fresh checkout: the start builds the worker that it needs.
// @module-tag slow

import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { quickEnv } from '@msgnet/cli/processes/quick-node.ts'
import { expect, onTestFinished, test } from 'vitest'
import { linkPackages } from '../link-packages.ts'
import { until } from '../until.ts'

/** It builds the pages and the worker. */
const patient = 300_000

test(
  'a fresh checkout starts with EDGE_ENGINE=miniflare',
  async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'fresh-worker-'))
    onTestFinished(() => rm(checkout, { recursive: true, force: true }), patient)
    const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: projectRoot })
    for (const file of stdout.split('\0').filter((each) => each && existsSync(join(projectRoot, each))))
      cpSync(join(projectRoot, file), join(checkout, file))
    linkPackages(checkout)

    const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
    const gateway = spawn('npm', ['start'], {
      cwd: checkout,
      env: { ...process.env, ...quickEnv, ...ports, EDGE_ENGINE: 'miniflare' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise((resolve) => gateway.once('close', resolve))
    onTestFinished(async () => {
      gateway.kill('SIGTERM')
      await ended
    })
    let printed = ''
    for (const stream of [gateway.stdout, gateway.stderr]) stream.on('data', (chunk) => (printed += chunk))
    await until(() => printed.includes('ready in') || gateway.exitCode !== null, { within: 200_000 })
    expect(printed).toContain('ready in')
  },
  patient,
)
