// `npm start -- --open`, and a gateway whose network is not simulated, as on Cloudflare: it has no page "Simulation".

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const folder = mkdtempSync(join(tmpdir(), 'opened-'))
const outputFile = join(folder, 'told')
let world: World

beforeAll(async () => {
  // In the place of the machine's own: it notes what it is to open, whole or not at all.
  const opener = join(folder, 'xdg-open')
  writeFileSync(
    opener,
    `#!/bin/sh\nprintf '%s' "$*" > '${outputFile}.draft' && mv '${outputFile}.draft' '${outputFile}'\n`,
  )
  chmodSync(opener, 0o755)
  const program = { root: join(import.meta.dirname, '..', '..'), args: ['--open'] }
  world = await startWorld({ NETWORK: 'live', PATH: `${folder}:${process.env.PATH}` }, undefined, program)
})

afterAll(async () => {
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(process.platform !== 'linux')(
  '--open opens the console in the browser of the machine',
  async () => {
    await until(() => existsSync(outputFile))
    expect(readFileSync(outputFile, 'utf8')).toBe(`${world.run.baseUrl}/console`)
  },
)

test.each([
  ['GET', '/console/laboratory/receiver'],
  ['POST', '/console/laboratory/sim/phones'],
  ['DELETE', '/console/laboratory/sim/faults'],
  ['POST', '/console/laboratory/host/kill'],
])('%s %s is 404 for the admin too where the network is not simulated', async (method, path) => {
  const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const response = await createPlainCaller(world.run.baseUrl, { admintoken }).request(method, path)
  expect([response.status, response.body.error]).toEqual([404, 'not_found'])
})
