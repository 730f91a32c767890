// The list of instances shows each of them as its own status does.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createDevice, type Device, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { asDeployed } from '../world.ts'

let world: BorrowedWorld
const devices: Device[] = []

beforeAll(async () => {
  world = await borrowWorld()
  const odd = ['Plain', 'çà “\\"At":5"', '"createdAt":1795331142414,', '\u2028 tab? \\u0041 é', 'x']
  for (const name of odd) devices.push(await createDevice(world, name))
  const [, linked, closed] = devices
  if (!linked || !closed) throw new Error('there are no devices')
  await linkDevice(world, linked)
  await linkDevice(world, closed)
  await closed.caller.post('/instance/disconnect')
  await until(
    async () => (await closed.caller.get('/instance/status')).body.instance.status === 'disconnected',
  )
})

afterAll(() => world.close())

interface Shown {
  id: string
  status: string
  coverage: { since: number; until?: number }
}
const listInstances = async (query = ''): Promise<Shown[]> =>
  (await world.admin.get(`/instance/all${query}`)).body.map(withoutClock)

/** While a session is up, its messages are here until now. */
const withoutClock = ({ coverage: { until: _, ...covered }, ...shown }: Shown): Shown => ({
  ...shown,
  coverage: covered,
})

/** Read until nothing has changed in between. */
const waitUntilAlike = () =>
  until(async () => {
    const before = await listInstances()
    const each = await Promise.all(
      devices.map(async ({ caller }) => {
        const { instance, coverage } = (await caller.get('/instance/status')).body
        return withoutClock({ ...instance, coverage })
      }),
    )
    return JSON.stringify(before) === JSON.stringify(await listInstances()) && { listed: before, each }
  })

test('the list shows idle, linked and closed instances with any names', async () => {
  const { listed, each } = await waitUntilAlike()
  expect(listed).toEqual(each)
  expect(listed.map(({ status }) => status)).toContain('connected')
  expect(listed.map(({ coverage }) => coverage.since > 0)).toContain(true)
})

test('an instance whose host is gone is listed as connecting', async () => {
  const orphaned = devices[1]
  await until(async () => {
    // Its next heartbeat renews it.
    await world.queryDatabase('update hosts set lease_until = 1')
    return (await listInstances()).find(({ id }) => id === orphaned?.id)?.status === 'connecting'
  })
})

test('a change is in the list at once, plain and compressed, whoever wrote it', async () => {
  const [device] = devices
  if (!device) throw new Error('there is no device')
  const readName = async (encoding: string) => {
    const { body } = await world.admin.get('/instance/all', { 'accept-encoding': encoding })
    return (body as { id: string; name: string }[]).find(({ id }) => id === device.id)?.name
  }
  const readNames = async () => [await readName('identity'), await readName('gzip'), await readName('br')]
  const changes: [string, (name: string) => Promise<unknown>][] = [
    ['Ours', (name) => device.caller.post('/instance/updateInstanceName', { name })],
    [
      'Foreign',
      (name) => world.queryDatabase(`update instances set name = '${name}' where id = '${device.id}'`),
    ],
    ['Ours again', (name) => device.caller.post('/instance/updateInstanceName', { name })],
  ]
  for (const [name, change] of changes) {
    await change(name)
    // The second time it is what was stored at the first.
    expect([await readNames(), await readNames()]).toEqual([Array(3).fill(name), Array(3).fill(name)])
  }
})

test('HEAD of the list has no body, and is not of a compressed one', async () => {
  const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const head = await fetch(`${world.run.baseUrl}/instance/all`, {
    method: 'HEAD',
    headers: { admintoken, 'accept-encoding': 'gzip' },
  })
  // The platform of Cloudflare compresses by itself, and says so of HEAD too.
  const encoding = asDeployed ? 'gzip' : null
  expect([head.status, await head.text(), head.headers.get('content-encoding')]).toEqual([200, '', encoding])
})

test('companyId filters the list, and an unknown one gives an empty list', async () => {
  const fields = { name: 'Ours', companyId: 'acme' }
  const { id } = (await world.admin.post('/instance/init', fields)).body.instance
  expect((await listInstances('?companyId=acme')).map((one) => one.id)).toEqual([id])
  expect(await listInstances('?companyId=nobody')).toEqual([])
})
