// `sh cli/node test/releases/record-folder.ts CHECKOUT VERSION`: the data folder of a release, as a gateway leaves it that was used and then stopped.
// CHECKOUT is that release with its packages installed. Made once for a release, and kept for good: later versions start on it.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice, SECRET } from '../device.ts'
import { until } from '../until.ts'
import { openWorld, type SharedWorld } from '../world.ts'
import { findFolder, type ReleaseFacts } from './release-folder.ts'

const [checkout = '', version = ''] = process.argv.slice(2)
if (!checkout || !version) throw new Error('Give the folder of a release, and its version.')

const folder = mkdtempSync(join(tmpdir(), 'release-'))
const dataDir = join(folder, 'data')
const ports = { PORT: '0', SIMULATOR_PORT: '0', METRICS_PORT: '0', EDGE_METRICS_PORT: '0' }
const gateway = spawn('npm', ['start'], {
  cwd: checkout,
  env: { ...process.env, ...ports, DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let output = ''
gateway.stdout.on('data', (chunk) => (output += chunk))
const ended = new Promise((resolve) => gateway.once('close', resolve))

/** What it answers is as it was documented then. */
function openAsReleased(at: string): SharedWorld {
  const world = openWorld(at)
  const admintoken = readFileSync(join(at, 'admin-token'), 'utf8').trim()
  const callWith = (credential: Record<string, string>) => createPlainCaller(world.run.baseUrl, credential)
  return { ...world, admin: callWith({ admintoken }), callAs: (token) => callWith({ token }) }
}

async function use(world: SharedWorld): Promise<ReleaseFacts> {
  const { body } = await world.admin.post('/v1/tokens', { name: 'reader', scope: 'read' })
  const device = await linkDevice(world, await createDevice(world, 'Old shop'))
  const { caller, number: account, token } = device
  // Nobody listens there: what happens waits for the receiver.
  const url = 'http://127.0.0.1:8788/hook'
  await caller.post('/webhook', { url, events: ['messages', 'messages_update'], secret: SECRET })
  const friend = await createPhone(world, 'Ana')
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'Do you have brass lamps?' })
  await until(async () => (await caller.post('/message/find', {})).body.messages.length === 1)
  await caller.post('/send/text', { number: friend, text: 'Yes, seven of them' })
  const { JID: group } = (await caller.post('/group/create', { name: 'Regulars', participants: [friend] }))
    .body
  await caller.post('/send/text', { number: group, text: 'Good morning' })
  await createDevice(world, 'Never linked')
  return { version, account, friend, group, token, adminToken: body.token }
}

try {
  await until(() => output.includes('ready in') || gateway.exitCode !== null, { within: 120_000 })
  const facts = await use(openAsReleased(dataDir))
  gateway.kill('SIGTERM')
  await ended
  writeFileSync(join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`)
  rmSync(join(dataDir, 'logs'), { recursive: true, force: true })
  execFileSync('tar', ['--create', '--gzip', '--file', findFolder(version), '--directory', folder, '.'])
  console.log(`The folder of ${version} is ${findFolder(version)}.`)
} finally {
  gateway.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}
