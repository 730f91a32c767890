// The canary: what two instances that send each other messages report of the network, and that their messages are reported nowhere else.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { paths } from '@msgnet/session-host/canary/canary-paths.ts'
import { NETWORK_LOG_FOLDER } from '@msgnet/shared/network-log-lines.ts'
import { listSegments, readSegment } from '@msgnet/shared/node/network-log-files.ts'
import { createSealer } from '@msgnet/shared/seal.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from './world.ts'

const [ANNA, BEN, STRANGER] = ['5511370000001', '5511370000002', '5511370000003']

let world: World
let anna = ''
let ben = ''
beforeAll(async () => {
  world = await startWorld()
  anna = await world.linkPhone(ANNA)
  ben = await world.linkPhone(BEN)
  await world.createPhone(STRANGER)
  const network = { ...world.config.network, mediaCa: world.simulator.mediaCa }
  await world.restartHost({ network, networkLog: [anna], canary: { instances: [anna, ben], everyMs: 250 } })
}, 30_000)
afterAll(() => world.close())
afterEach(() => world.sim('DELETE', '/faults'))

async function readMetrics(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${world.host.metricsPort}/metrics`)
  return response.text()
}

/** The value of a metric with these labels; undefined if there is none. */
async function readMetric(name: string, ...labels: string[]): Promise<number | undefined> {
  const lines = (await readMetrics()).split('\n').filter((line) => line.startsWith(`${name}{`))
  const line = lines.find((one) => labels.every((label) => one.includes(label)))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

const isOk = (path: string, sender: string) =>
  readMetric('host_canary_ok', `path="${path}"`, `sender="${sender}"`)
const expectAllOk = () =>
  until(
    async () => {
      const results = await Promise.all(paths.flatMap((path) => [isOk(path, anna), isOk(path, ben)]))
      return results.every((result) => result === 1)
    },
    { within: 40_000 },
  )

test('both instances send each other messages by number, by LID, in a group and with a file, and each arrives', async () => {
  await expectAllOk()
  for (const path of paths)
    expect(await readMetric('host_canary_seconds', `path="${path}"`)).toBeGreaterThan(0)
  expect(await readMetric('host_canary_connected', ben)).toBe(1)
  const groups = await world.sim<{ groups?: unknown[] }>('GET', `/phones/${ANNA}/inbox`)
  expect(JSON.stringify(groups)).toContain('msgnet canary')
})

test("only the canary's group is stored and reported", async () => {
  await expectAllOk()
  for (const instance of [anna, ben]) {
    const types = new Set(world.edge.listEvents(instance).map(({ type }) => type))
    expect([...types].filter((type) => !['connection', 'groups'].includes(type))).toEqual([])
  }
  const store = new DatabaseSync(join(world.dataDir, 'host', 'host.db'), { readOnly: true })
  for (const table of ['messages', 'chats'])
    expect(store.prepare(`SELECT count(*) AS rows FROM ${table}`).get()).toEqual({ rows: 0 })
  store.close()
})

test('the protocol log of one instance has only its stanzas', async () => {
  await expectAllOk()
  const sealer = await createSealer(world.config.sealKeys, 'host/network-log')
  const lines = await until(async () => {
    const [segment] = await listSegments(join(world.dataDir, ...NETWORK_LOG_FOLDER))
    return segment && (await readSegment(segment, async () => sealer))
  })
  expect(new Set(lines.map(({ instance }) => instance))).toEqual(new Set([anna]))
})

test("a stranger's message with the canary's mark is reported", async () => {
  await world.sim('POST', '/messages', {
    from: STRANGER,
    to: ANNA,
    text: 'hello',
    id: '3EB0CA9A217E0000000000',
  })
  await until(() => world.edge.listEvents(anna, 'messages')[0])
})

test.each([463, 421, 479])(
  'a refusal with %i is shown with its code until the next message arrives',
  async (code) => {
    await expectAllOk()
    await world.sim('POST', '/faults', { kind: 'ack_error', code, number: ANNA })
    const refused = ['path="number"', `sender="${anna}"`, `code="${code}"`]
    expect(await until(() => readMetric('host_canary_refused', ...refused))).toBe(1)
    expect(await isOk('number', anna)).toBe(0)
    await world.sim('DELETE', '/faults')
    await expectAllOk()
    expect(await readMetric('host_canary_refused', ...refused)).toBeUndefined()
  },
)

test('a network that acknowledges nothing is shown as silent', async () => {
  await world.sim('POST', '/faults', { kind: 'lost_ack', number: BEN, count: 2 })
  await until(() => readMetric('host_canary_tries_total', `sender="${ben}"`, 'outcome="silent"'), {
    within: 15_000,
  })
})

test('the canary pauses while one instance is not connected, and reports that', async () => {
  await world.edge.performAction(ben, 'session.disconnect', {})
  await until(async () => (await readMetric('host_canary_connected', ben)) === 0)
  expect(await readMetric('host_canary_connected', anna)).toBe(1)
})
