// The terms on which the simulated network accepts clients, the stanzas that it sends by itself, and `--help`.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlRoutes } from '@msgnet/simulator/control/control-routes.ts'
import { NewFault } from '@msgnet/simulator/control/fault-control.ts'
import { faultTable, printHelp, routeTable } from '@msgnet/simulator/control/help.ts'
import { createNetwork } from '@msgnet/simulator/network/simulated-network.ts'
import { openStore } from '@msgnet/simulator/store/network-store.ts'
import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000131'

const collectStanzas = (
  client: { socket: { ws: { on(event: string, listener: (node: BinaryNode) => void): unknown } } },
  event: string,
) => {
  const all: BinaryNode[] = []
  client.socket.ws.on(event, (node) => all.push(node))
  return all
}

test('a version that is too old is refused with 405, before pairing and after it', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.callControl('PATCH', '/network', { oldestVersion: '2.3000.2000000000' })
  await world.post('/faults', { kind: 'close' })
  await client.waitForClose()
  client.connect()
  expect(await client.waitForClose()).toBe(405)
  client.connect({ version: [2, 3000, 2_000_000_000] })
  await client.waitUntilOpen()
  const stranger = world.createClient()
  stranger.connect()
  expect(await stranger.waitForClose()).toBe(405)
  expect(await world.callControl('PATCH', '/network', { oldestVersion: '3.0' })).toMatchObject({
    status: 400,
  })
  await world.callControl('PATCH', '/network', { oldestVersion: null })
  stranger.connect()
  await stranger.waitForQr()
})

test('a stream error has the requested code and child', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const cases: [body: { child: string; attrs?: Record<string, string>; code?: number }, seen: number][] = [
    [{ child: 'ack', attrs: { class: 'receipt', id: '1' } }, 500],
    [{ child: 'conflict' }, 440],
    [{ child: 'xml-not-well-formed' }, 500],
    [{ child: '' }, 500],
    [{ child: 'conflict', attrs: { type: 'device_removed' }, code: 401 }, 401],
  ]
  for (const [body, seen] of cases) {
    const errors = collectStanzas(client, 'CB:stream:error')
    await world.post('/faults', { kind: 'close', number: NUMBER, ...body })
    expect(await client.waitForClose()).toBe(seen)
    expect(errors[0]?.content ?? []).toMatchObject(
      body.child ? [{ tag: body.child, attrs: body.attrs ?? {} }] : [],
    )
    await client.goOnline()
  }
})

test('a client opens its next stream with the routing information that it received', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const routing = await until(() => client.auth.creds.routingInfo?.toString('base64'))
  client.end()
  await client.waitForClose()
  await client.goOnline()
  const logins = await world.readList(`/log?number=${NUMBER}`, 'entries')
  expect(logins.filter(({ what }) => what === 'login').at(-1)).toMatchObject({ routing })
})

test('dirty data stays dirty over logins, until the client has fetched it', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.post('/faults', { kind: 'silent', xmlns: 'w:g2', count: 1 })
  await world.post(`/phones/${NUMBER}/dirty`, { type: 'groups' })
  client.end()
  await client.waitForClose()
  client.connect()
  const isClean = async () =>
    (await world.readList(`/log?number=${NUMBER}`, 'entries')).some(({ child }) => child === 'clean')
  await until(isClean)
  client.end()
  client.connect()
  const notices = collectStanzas(client, 'CB:ib,,dirty')
  await client.waitUntilOpen()
  expect(notices).toEqual([])
})

test('the time of a login is that of the network', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.callControl('PATCH', '/network', { clockAhead: 3_600_000 })
  client.end()
  await client.waitForClose()
  client.connect()
  const welcomes = collectStanzas(client, 'CB:success')
  await client.waitUntilOpen()
  expect(Number(welcomes[0]?.attrs.t) * 1000 - Date.now()).toBeGreaterThan(3_500_000)
})

test('a stanza of a test reaches an account, or all clients that are not linked', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const notices = collectStanzas(client, 'CB:ib')
  const stanza = { tag: 'ib', content: [{ tag: 'news', attrs: { of: 'today' } }] }
  expect((await world.post('/stanzas', { number: NUMBER, stanza })).body).toEqual({ reached: 1 })
  await until(() => notices.some((node) => getBinaryNodeChild(node, 'news')?.attrs.of === 'today'))
  expect((await world.post('/stanzas', { stanza })).body).toEqual({ reached: 0 })
  const stranger = world.createClient()
  stranger.connect()
  await stranger.waitForQr()
  expect((await world.post('/stanzas', { stanza })).body).toEqual({ reached: 1 })
})

test('help names every route and every fault', () => {
  const store = openStore(mkdtempSync(join(tmpdir(), 'simulator-')))
  const { routes } = createControlRoutes(createNetwork(store), { url: () => '', rootKey: '', mediaCa: '' })
  store.close()
  const shown = routeTable.map(([method, path]) => `${method} ${path}`)
  const there = routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
  expect(shown.sort()).toEqual([...new Set(there)].sort())
  const kinds = NewFault.options.flatMap(({ shape: { kind } }) =>
    'options' in kind ? kind.options : [...kind.values],
  )
  expect(faultTable.map(([kind]) => kind).sort()).toEqual(kinds.sort())
  expect(
    printHelp()
      .split('\n')
      .every((line) => line.length < 200),
  ).toBe(true)
})
