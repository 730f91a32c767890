// Devices that the library has linked, in folders of its multi-file form, move in by the command.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile } from '@msgnet/cli/data-folder/folder-lock.ts'
import { useMultiFileAuthState } from 'baileys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subscribeReceiver } from '../device.ts'
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
import type { Receiver } from '../receiver.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'
import { Client } from './client.ts'
import { linkMovingClient, toMoving } from './moving-client.ts'

/** More would be too slow for each on a busy machine. */
const LINKED_AT_ONCE = 4

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
  const { shop } = await linkAccounts(from, ['shop'])
  const before = await listInstances(world)
  const { code, output } = await runMoveIn(world, folder, ['--from', `folder:${from}`, '--dry-run'])
  const rows = readdirSync(join(from, 'shop')).length
  const day = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10)
  expect(output).toMatch(
    new RegExp(`^shop +${shop?.number} +\\d+ +${rows} +${day} \\d\\d:\\d\\d +can be moved$`, 'm'),
  )
  expect(code).toBe(0)
  expect(readSteps(folder)).toEqual([])
  expect(await listInstances(world)).toEqual(before)
})

test('an account that has talked moves in without a code, and goes on both ways with people and in groups', async () => {
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

test('twenty accounts, killed in the middle and run again, have moved once each', {
  timeout: 180_000,
}, async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const names = Array.from({ length: 20 }, (_, n) => `account-${n}`)
  const accounts = await linkAccounts(from, names)
  const args = ['--from', `folder:${from}`, '--parallel', '4']
  const before = await listInstances(world)
  const first = startMoveIn(world, folder, args)
  await waitForOutput(first, (output) => output.split('logged in').length > 8)
  await first.kill()
  const second = await runMoveIn(world, folder, args)
  expect([second.code, second.output]).toEqual([0, expect.stringMatching(/^\d+ moved, 0 not\.$/m)])
  const expected = names.map((name) => `${name} ${accounts[name]?.number}`)
  expect(await listInstances(world)).toEqual([...before, ...expected].sort())
  const third = await runMoveIn(world, folder, args)
  expect([third.code, third.output]).toEqual([0, expect.stringContaining('0 moved, 0 not.')])
  expect(third.output.match(/moved already/g)).toHaveLength(20)
})

test('a second run in the same folder is refused until the first has ended, and a dry run is not', async () => {
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

test('of an account that cannot move nothing is left, the others move, and the next run tries it again', async () => {
  const folder = makeFolder()
  const from = join(folder, 'sessions')
  const { gone, stays } = await linkAccounts(from, ['gone', 'stays'])
  await gone?.client.goOnline()
  await gone?.client.socket.logout()
  const args = ['--from', `folder:${from}`]
  const { code, output } = await runMoveIn(world, folder, args)
  expect([code, output]).toEqual([1, expect.stringMatching(/^gone: logged_out: its phone has unlinked/m)])
  const instances = await listInstances(world)
  expect(instances).toContain(`stays ${stays?.number}`)
  expect(instances.filter((name) => name.startsWith('gone'))).toEqual([])
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
  const before = await listInstances(world)
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
  expect(await listInstances(world)).toEqual(before)
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
