// The library's older line runs through the table of scenarios: a second opinion on the simulated network.
//
// Alone in its process: it loads another version of the library, and two of them in one process share the definitions of their messages.
// @vitest-environment-options { "process": "older-library" }
// @module-tag slow

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll } from 'vitest'
import { until } from '../until.ts'
import { olderDifferences } from './differences.ts'
import { Network } from './network.ts'
import { OlderClient } from './older-client.ts'
import { runTable } from './run.ts'
import { openScene, type Scene } from './scenario.ts'
import { table } from './table.ts'

const MAIN = new URL('../../simulator/run-simulator.ts', import.meta.url).pathname

/** Also for the library's own files of what it uploads. */
const folder = mkdtempSync(join(tmpdir(), 'older-library-'))
process.env.TMPDIR = folder
let simulator: ChildProcess
let scene: Scene
const clients: OlderClient[] = []

// In a process of its own: two versions of the library in one share the definitions of their messages, and each gets those of the other.
beforeAll(async () => {
  const env = { ...process.env, SIMULATOR_PORT: '0', DATA_DIR: folder }
  simulator = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  simulator.stdout?.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const control = await until(() => /control (http:\S+)\/sim/.exec(output)?.[1])
  const response = await fetch(`${control}/sim/network`)
  const { url, mediaCa } = (await response.json()) as { url: string; mediaCa: string }
  setDefaultCACertificates([mediaCa])
  // It writes to numbers, which the network refuses once an account is migrated to LIDs.
  scene = await openScene(new Network(control, { lidMigrated: false }), () => {
    const client = new OlderClient(url)
    clients.push(client)
    return client
  })
})

afterAll(async () => {
  await Promise.all(clients.map((client) => client.leave()))
  simulator.kill()
  await once(simulator, 'exit')
  rmSync(folder, { recursive: true, force: true })
})

runTable(table, () => scene, olderDifferences)
