// Devices that the library has linked, in folders of its multi-file form, move in by the command.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { lockFile } from '@msgnet/cli/data-folder/folder-lock.ts'
import { useMultiFileAuthState } from 'baileys'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createDevice, subscribeReceiver } from '../device.ts'
import { createAccount, type Move, talkAfter, talkBefore, writeFrom } from '../imported-account.ts'
import {
  ageFiles,
  findMoved,
  listInstances,
  makeFolder,
  readSteps,
  runMoveIn,
  startMoveIn,
  storeInFiles,
  waitForOutput,
} from '../move-in-program.ts'
import { openImport } from '../open-import.ts'
import type { Receiver } from '../receiver.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'
import { Client } from './client.ts'
import { linkMovingClient, toMoving } from './moving-client.ts'

/** More would be too slow for each on a busy machine. */
const LINKED_AT_ONCE = 4

// A move stays ten seconds with each account, to see that no other program has it. Most of the tests wait so beside each other.
vi.setConfig({ testTimeout: 180_000 })

let world: SharedWorld
let receiver: Receiver
const clients: Client[] = []

beforeAll(async () => {
  ;({ world, receiver } = await borrowStage())
})
afterAll(() => {
  for (const client of clients) client.end()
})

async function linkClient(number: string): Promise<Client> {
  const client = await linkMovingClient(world, number)
  clients.push(client)
  return client
}

const storeFiles = ({ auth, keys }: Client, folder: string): Promise<void> =>
  storeInFiles(useMultiFileAuthState, { creds: auth.creds, keys }, folder)

/** In folders of these names below `from`. */
async function linkAccounts(
  from: string,
  names: string[],
): Promise<Record<string, { number: string; client: Client }>> {
  const accounts: Record<string, { number: string; client: Client }> = {}
  const waiting = [...names]
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { number } = await createAccount(world)
      const client = await linkClient(number)
      client.end()
      await storeFiles(client, join(from, name))
      accounts[name] = { number, client }
    }
  }
  await Promise.all(Array.from({ length: LINKED_AT_ONCE }, work))
  return accounts
}

test('a dry run shows the accounts of a folder of folders, and changes nothing on either side', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const { shown } = await linkAccounts(from, ['shown'])
  const { code, output } = await runMoveIn(world, folder, ['--from', `folder:${from}`, '--dry-run'])
  const rows = readdirSync(join(from, 'shown')).length
  const day = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10)
  expect(output).toMatch(
    new RegExp(`^shown +${shown?.number} +\\d+ +${rows} +${day} \\d\\d:\\d\\d +can be moved$`, 'm'),
  )
  expect(code).toBe(0)
  expect(readSteps(folder)).toEqual([])
  expect(await listInstances(world, ['shown', String(shown?.number)])).toEqual([])
})

test.concurrent('an account that has talked moves in without a code, and goes on both ways with people and in groups', async () => {
  const folder = makeFolder()
  const from = join(folder, 'auth')
  const move: Move = await createAccount(world, { lidMigrated: true })
  const client = await linkClient(move.number)
  await talkBefore(world, toMoving(client), move)
  client.end()
  await storeFiles(client, from)
  const files = () => readdirSync(from).map((name) => [name, readFileSync(join(from, name), 'utf8')])
  const before = files()
  const { code, output } = await runMoveIn(world, folder, ['--from', `folder:${from}`])
  expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
  expect(files()).toEqual(before)
  const log = join(folder, 'move-in.jsonl')
  expect(statSync(log).mode & 0o777).toBe(0o600)
  expect(readFileSync(log, 'utf8')).not.toMatch(/private|keyPair|Buffer/)
  const device = findMoved(world, folder, 'auth')
  await subscribeReceiver(device, receiver, ['messages', 'undecryptable'])
  await talkAfter(world, receiver, device, move)
})

test.concurrent('twenty accounts, killed in the middle and run again, have moved once each', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const names = Array.from({ length: 20 }, (_, n) => `account-${n}`)
  const accounts = await linkAccounts(from, names)
  const args = ['--from', `folder:${from}`, '--parallel', '4']
  const first = startMoveIn(world, folder, args)
  await waitForOutput(first, (output) => output.split('logged in').length > 8)
  await first.kill()
  const second = await runMoveIn(world, folder, args)
  expect([second.code, second.output]).toEqual([0, expect.stringMatching(/^\d+ moved, 0 not\.$/m)])
  const expected = names.map((name) => `${name} ${accounts[name]?.number}`)
  const numbers = names.map((name) => String(accounts[name]?.number))
  expect(await listInstances(world, [...names, ...numbers])).toEqual(expected.sort())
  const third = await runMoveIn(world, folder, args)
  expect([third.code, third.output]).toEqual([0, expect.stringContaining('0 moved, 0 not.')])
  expect(third.output.match(/moved already/g)).toHaveLength(20)
})

test.concurrent('a run after a killed one waits until the gateway ends the import of that one', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const { half } = await linkAccounts(from, ['half'])
  const args = ['--from', `folder:${from}`]
  const device = await createDevice(world, 'half')
  const created = { source: `folder:${from}`, id: 'half', name: 'half', step: 'created' }
  const step = { at: new Date().toISOString(), ...created, instance: device.id, token: device.token }
  writeFileSync(join(folder, 'move-in.jsonl'), `${JSON.stringify(step)}\n`)
  const left = openImport(world, device)
  await left.waitUntilRead()
  const run = startMoveIn(world, folder, args)
  await waitForOutput(run, (output) => output.includes('half: waits until the gateway ends the import'))
  left.leave()
  const { code, output } = await run.ended
  expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
  expect(await listInstances(world, ['half', String(half?.number)])).toEqual([`half ${half?.number}`])
})

test.concurrent('a second run in the same folder is refused until the first has ended, and a dry run is not', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  await linkAccounts(from, ['waits'])
  const first = lockFile(join(folder, 'move-in.jsonl.lock'), 'held', '')
  const args = ['--from', `folder:${from}`]
  const second = await runMoveIn(world, folder, args)
  expect([second.code, second.output]).toEqual([
    1,
    expect.stringContaining('Another run of move-in works on'),
  ])
  expect(readSteps(folder)).toEqual([])
  expect((await runMoveIn(world, folder, [...args, '--dry-run'])).code).toBe(0)
  first.release()
  const third = await runMoveIn(world, folder, args)
  expect([third.code, third.output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
})

test.concurrent('a second run on the same source from another folder is refused, also while the first one waits, and not after its end', async () => {
  const [one, other] = [makeFolder(), makeFolder()]
  const from = join(one, 'sessions')
  const { twice } = await linkAccounts(from, ['twice'])
  const args = ['--from', `folder:${from}`]
  const first = startMoveIn(world, one, args)
  await waitForOutput(first, (output) => output.includes('logged in'))
  const second = await runMoveIn(world, other, args)
  expect([second.code, second.output]).toEqual([
    1,
    expect.stringContaining(`Another run of move-in works on folder:${from}`),
  ])
  await first.kill()
  const third = await runMoveIn(world, one, [...args, '--stopped'])
  expect([third.code, third.output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
  expect(await listInstances(world, ['twice', String(twice?.number)])).toEqual([`twice ${twice?.number}`])
})

test.concurrent('what is no file or no JSON is left out, and a file that is no key of the library keeps its account here', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const { odd, large } = await linkAccounts(from, ['odd', 'large'])
  const oddFiles = join(from, 'odd')
  mkdirSync(join(oddFiles, 'session-551100000001.0.json'))
  symlinkSync('/nowhere', join(oddFiles, 'session-551100000002.0.json'))
  symlinkSync('/dev/zero', join(oddFiles, 'session-551100000003.0.json'))
  symlinkSync('session-551100000004.0.json', join(oddFiles, 'session-551100000004.0.json'))
  execFileSync('mkfifo', [join(oddFiles, 'session-551100000005.0.json')])
  writeFileSync(join(oddFiles, 'session-551100000006.0.json'), '{"torn":')
  writeFileSync(join(oddFiles, 'unheard-of-7.json'), '{}')
  writeFileSync(join(oddFiles, 'session-undefined.0.json'), '{}')
  writeFileSync(join(from, 'large', 'session-551100000001.0.json'), `"${'x'.repeat(5 * 1024 ** 2)}"`)
  mkdirSync(join(from, 'no-file', 'creds.json'), { recursive: true })
  mkdirSync(join(from, 'no-json'))
  writeFileSync(join(from, 'no-json', 'creds.json'), 'no JSON')
  symlinkSync('creds.json', join(from, 'creds.json.lnk'))
  for (const name of ['odd', 'large', 'no-json']) ageKeys(join(from, name))
  const { code, output } = await runMoveIn(world, folder, ['--from', `folder:${from}`])
  expect(output).toContain('large: ')
  expect(output).toContain('session-551100000001.0.json is larger than 4 MiB')
  expect(output).toContain('1 of kind session whose id is none of that kind, such as session-undefined.0')
  expect(output).toMatch(/^no-json .+ its credential cannot be read$/m)
  expect([code, output]).toEqual([1, expect.stringContaining('1 moved, 1 not.')])
  expect(output).not.toContain(String(odd?.client.auth.creds.advSecretKey))
  const asked = ['odd', 'large', String(odd?.number), String(large?.number)]
  expect(await listInstances(world, asked)).toEqual([`odd ${odd?.number}`])
})

/** Of those that are files. */
function ageKeys(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (lstatSync(path).isFile()) utimesSync(path, 1, 1)
  }
}

test.concurrent('of an account that cannot move nothing is left, the others move, and the next run tries it again', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const { gone, stays } = await linkAccounts(from, ['gone', 'stays'])
  await gone?.client.goOnline()
  await gone?.client.socket.logout()
  const args = ['--from', `folder:${from}`]
  const { code, output } = await runMoveIn(world, folder, args)
  expect([code, output]).toEqual([1, expect.stringMatching(/^gone: logged_out: its phone has unlinked/m)])
  const asked = ['gone', 'stays', String(gone?.number), String(stays?.number)]
  expect(await listInstances(world, asked)).toEqual([`stays ${stays?.number}`])
  const again = await runMoveIn(world, folder, args)
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('0 moved, 1 not.')])
})

test('files that were just changed are of a program that runs: nothing moves, and with --stopped it is replaced and said so', async () => {
  const folder = makeFolder()
  const from = join(folder, 'running')
  const move = await createAccount(world)
  const client = await linkClient(move.number)
  await storeFiles(client, from)
  ageFiles(from, 2)
  const refused = await runMoveIn(world, folder, ['--from', `folder:${from}`])
  expect([refused.code, refused.output]).toEqual([
    1,
    expect.stringMatching(
      /Nothing was moved: the other gateway seems to run \(running: its files were changed \d s ago\)/,
    ),
  ])
  const run = startMoveIn(world, folder, ['--from', `folder:${from}`, '--stopped'])
  await waitForOutput(run, (output) => output.includes('logged in'))
  // As programs do that reconnect whatever ended them.
  client.connect()
  await client.waitUntilOpen()
  const { code, output } = await run.ended
  expect([code, output]).toEqual([
    1,
    expect.stringContaining('running: replaced: its old gateway still runs'),
  ])
  expect(await listInstances(world, ['running', move.number])).toEqual([])
  await writeFrom(world, move.friend, move.number, 'for the old gateway')
  await until(() => toMoving(client).listTexts().includes('for the old gateway'))
})

test('folders without a linked device, and copies of one, are shown and left out', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const { new: newer } = await linkAccounts(from, ['new'])
  await storeFiles(newer?.client as Client, join(from, 'backup'))
  ageFiles(join(from, 'backup'), 48 * 3600)
  await storeFiles(new Client(() => ''), join(from, 'empty'))
  const { output } = await runMoveIn(world, folder, ['--from', `folder:${from}`, '--dry-run'])
  expect(output).toMatch(/^backup .+ a newer copy of it is in the source$/m)
  expect(output).toMatch(/^empty .+ no device is linked$/m)
  expect(output).toMatch(/^new .+ can be moved$/m)
  const unknown = await runMoveIn(world, folder, ['--from', `folder:${from}`, '--only', 'other', '--dry-run'])
  expect([unknown.code, unknown.output]).toEqual([1, 'The source has no account other.\n'])
})
