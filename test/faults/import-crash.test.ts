// A host killed while it stores the credential of another program: all of it is stored, or nothing.
// @module-tag slow

import { join } from 'node:path'
import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import Database from 'libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HostProcess, type ProcessWorld, startProcessWorld } from '../host/process.ts'
import { until } from '../until.ts'

/** So many that they take several statements. */
const PRE_KEYS = 1200
/** A host starts several times, on a machine that may be busy. Less than the time of a test, so that what did not come is named. */
const patient = { within: 40 * SECOND }
const INPUT = { kind: 'msgnet', parcel: 'credential' } as const

/** One for each test: in that of another, its sessions could commit at the point that is armed for the import. */
let world: ProcessWorld

beforeEach(async () => {
  world = await startProcessWorld()
  const [head, creds, preKey] = credentialLines.trim().split('\n')
  const { value } = JSON.parse(preKey ?? '')
  const keys = Array.from({ length: PRE_KEYS }, (_, n) =>
    JSON.stringify({ kind: 'pre-key', id: `${n + 1}`, value }),
  )
  const end = JSON.stringify({ end: true, rows: PRE_KEYS + 1 })
  world.edge.files.set(INPUT.parcel, [head, creds, ...keys, end].map((line) => `${line}\n`).join(''))
})
afterEach(() => world.close())

function countStored(instance: string): { kind: string; rows: number }[] {
  const database = new Database(join(world.folder, 'host.db'), { readonly: true })
  const sql = 'SELECT kind, count(*) AS rows FROM credentials WHERE instance = ? GROUP BY kind ORDER BY kind'
  const rows = database.prepare(sql).all(instance) as { kind: string; rows: number }[]
  database.close()
  return rows
}

/** The link of the host before may not be closed yet. */
async function runLinkedHost(change: Record<string, string> = {}): Promise<HostProcess> {
  const countLinks = () => world.edge.frames.filter(({ t }) => t === 'hello').length
  const before = countLinks()
  const host = world.runHost(change)
  await until(() => countLinks() > before, patient)
  await world.edge.waitUntilLinked()
  return host
}

async function crashDuringImport(point: string): Promise<{ instance: string; host: HostProcess }> {
  const doomed = await runLinkedHost({ CRASH_AT: point })
  const instance = crypto.randomUUID()
  // It has the session: what is stored next is the credential.
  const taken = await world.edge.performAction(instance, 'session.proxy', { kind: 'msgnet', proxy: '' })
  expect(taken).toMatchObject({ kind: 'done' })
  doomed.child.kill('SIGUSR2')
  await until(() => doomed.readLines().some(({ crashAt }) => crashAt === point), patient)
  const id = crypto.randomUUID()
  world.edge.sendFrames({
    t: 'act',
    id,
    instance,
    epoch: 1,
    action: 'session.import',
    input: INPUT,
    budget: 30_000,
  })
  await until(() => doomed.child.signalCode === 'SIGKILL', patient)
  return { instance, host: await runLinkedHost() }
}

test.each(['after-imported-keys', 'before-outbox-commit'])(
  '%s, before its last commit, nothing is stored, and the same import then succeeds',
  async (point) => {
    const { instance, host } = await crashDuringImport(point)
    expect(countStored(instance)).toEqual([])
    const again = await world.edge.performAction(instance, 'session.import', INPUT)
    expect(again).toMatchObject({
      kind: 'done',
      result: { state: { status: 'disconnected' }, imported: { rows: PRE_KEYS + 1 } },
    })
    expect(countStored(instance)).toEqual([
      { kind: 'creds', rows: 1 },
      { kind: 'pre-key', rows: PRE_KEYS },
    ])
    host.child.kill('SIGTERM')
    await host.ended
  },
)

test.each(['after-outbox-commit', 'before-outcome'])(
  '%s everything is stored and reported',
  async (point) => {
    const { instance, host } = await crashDuringImport(point)
    await until(() => world.edge.listStates(instance).at(-1)?.jid, patient)
    expect(countStored(instance)).toEqual([
      { kind: 'creds', rows: 1 },
      { kind: 'pre-key', rows: PRE_KEYS },
    ])
    const again = await world.edge.performAction(instance, 'session.import', INPUT)
    expect(again).toMatchObject({ kind: 'refused', fault: 'session_conflict' })
    host.child.kill('SIGTERM')
    await host.ended
  },
)

test('what is stored is sealed: no key of it is in the file', async () => {
  const host = await runLinkedHost()
  const instance = crypto.randomUUID()
  await world.edge.performAction(instance, 'session.import', INPUT)
  const [{ kind } = { kind: '' }] = countStored(instance)
  expect(kind).toBe('creds')
  const database = new Database(join(world.folder, 'host.db'), { readonly: true })
  const rows = database.prepare('SELECT value FROM credentials WHERE instance = ?').all(instance)
  database.close()
  for (const { value } of rows as { value: Uint8Array }[])
    expect(Buffer.from(value).toString('latin1')).not.toContain('public')
  host.child.kill('SIGTERM')
  await host.ended
})
