// Acts of an instance that is being deleted, or that another host takes over: what its callers are answered, and what is left of it.
// @module-tag slow

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import type { EdgeFrame } from '@msgnet/shared/wire/link-frames.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput, ActionName } from '@msgnet/shared/wire/session-actions.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SharedStore, startSharedStore } from '../hosts/hosts.ts'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

const ANNA = '5511600000001'
const BEN = '5511600000002'
const PARCEL = 'credential'

type Ask = { [Name in ActionName]: [Name, ActionInput<Name>] }[ActionName]

/** One of each way to the store: the session's own lock, its journal, its messages, its groups, its settings. */
const listAsks = (): Ask[] => [
  ['session.connect', KIND],
  ['session.import', { kind: 'msgnet', parcel: PARCEL }],
  ['session.restart', KIND],
  ['session.proxy', { kind: 'msgnet', proxy: '' }],
  ['session.disconnect', {}],
  ['message.sendText', createTextInput(BEN, 'beside it')],
  ['message.sendText', { ...createTextInput(BEN, 'unawaited'), async: true }],
  ['message.sendText', { ...createTextInput(BEN, 'later'), delay: 200 }],
  ['group.updateName', { groupjid: '120363000000000001@g.us', name: 'New' }],
  ['account.rename', { name: 'New' }],
  ['chat.archive', { number: BEN, archive: true }],
  ['chat.subscribe', { number: BEN, subscribe: true }],
  ['contact.add', { number: BEN, name: 'Ben' }],
]

let world: World

const createAct = (instance: string, [action, input]: Ask) => ({
  t: 'act' as const,
  id: crypto.randomUUID() as string,
  instance,
  epoch: 1,
  action,
  input,
  budget: 10_000,
})

/** The outcomes by action, of acts that arrive in one message of the link with the frames before and after them. */
async function askAtOnce(
  instance: string,
  { before = [], after = [] }: { before?: EdgeFrame[]; after?: EdgeFrame[] },
) {
  const acts = listAsks().map((ask) => createAct(instance, ask))
  world.edge.sendFrames(...before, ...acts, ...after)
  const outcomes = await Promise.all(acts.map(({ id }) => world.edge.waitForOutcome(id)))
  return acts.map(({ action }, at) => describeOutcome(action, outcomes[at]))
}

const describeOutcome = (action: string, outcome: Outcome | undefined): string =>
  `${action}: ${outcome?.kind === 'refused' ? outcome.fault : outcome?.kind}`

const select = (outcomes: string[], forms: RegExp) => outcomes.filter((outcome) => forms.test(outcome))
const faultsOfStore = /storage_unavailable|internal/

async function listStored(): Promise<unknown[]> {
  const client = createClient({ url: pathToFileURL(join(world.dataDir, 'host', 'host.db')).href })
  const { rows } = await client.execute(
    'SELECT instance FROM sessions UNION SELECT instance FROM credentials UNION SELECT instance FROM messages',
  )
  client.close()
  return rows.map(({ instance }) => instance)
}

describe('in a store of its own', () => {
  beforeEach(async () => {
    world = await startWorld()
    world.edge.files.set(PARCEL, credentialLines)
    await world.createPhone(BEN)
  })
  afterEach(() => world.close())

  test('what waits for the deletion of its instance finds none afterwards, and stores nothing', async () => {
    const instance = await world.linkPhone(ANNA)
    // The device is unlinked first, which takes the network so long: all others come meanwhile.
    await world.sim('POST', '/faults', { kind: 'slow', number: ANNA, ms: 1000 })
    const deletion = createAct(instance, ['session.delete', {}])
    const outcomes = await askAtOnce(instance, { before: [deletion] })
    expect(await world.edge.waitForOutcome(deletion.id)).toMatchObject({ kind: 'done' })
    expect(select(outcomes, faultsOfStore)).toEqual([])
    // An import is refused at once, as long as there is a credential.
    expect(select(outcomes, /^session\.import: (session_conflict|instance_not_found)/)).toHaveLength(1)
    expect(select(outcomes, /^session\.(connect|restart|proxy)/)).toEqual([
      'session.connect: instance_not_found',
      'session.restart: instance_not_found',
      'session.proxy: instance_not_found',
    ])
    expect(await listStored()).toEqual([])
  })

  test('acts that arrive together with a deletion, before or behind it, end as refused and leave nothing', async () => {
    for (const order of ['before', 'after'] as const) {
      const instance = crypto.randomUUID()
      expect((await world.edge.performAction(instance, 'session.proxy', { ...KIND })).kind).toBe('done')
      const deletion = createAct(instance, ['session.delete', {}])
      const outcomes = await askAtOnce(instance, { [order]: [deletion] })
      expect(await world.edge.waitForOutcome(deletion.id)).toMatchObject({ kind: 'done' })
      expect([order, select(outcomes, faultsOfStore)]).toEqual([order, []])
      expect([order, await listStored()]).toEqual([order, []])
    }
  })

  test('what comes later for a deleted instance does not bring it back', async () => {
    const instance = await world.linkPhone(ANNA)
    await world.edge.performAction(instance, 'session.delete', {})
    const outcomes = await askAtOnce(instance, {})
    expect(outcomes.filter((outcome) => !outcome.endsWith(': instance_not_found'))).toEqual([])
    expect(await listStored()).toEqual([])
    // Whose answer was lost asks once more.
    expect(await world.edge.performAction(instance, 'session.delete', {})).toMatchObject({ kind: 'done' })
    expect(await listStored()).toEqual([])
  })

  test('an import under way when its instance is deleted finds none, and what comes beside it does not connect', async () => {
    const instance = crypto.randomUUID()
    world.edge.files.set(PARCEL, createManyLines(20_000))
    const imported = createAct(instance, ['session.import', { kind: 'msgnet', parcel: PARCEL }])
    world.edge.sendFrames(imported)
    await until(() => world.edge.frames.some((frame) => frame.t === 'accepted' && frame.id === imported.id))
    const [deletion, connected, another] = [
      createAct(instance, ['session.delete', {}]),
      createAct(instance, ['session.connect', KIND]),
      createAct(instance, ['session.import', { kind: 'msgnet', parcel: PARCEL }]),
    ]
    world.edge.sendFrames(deletion, connected, another)
    expect(await world.edge.waitForOutcome(deletion.id)).toMatchObject({ kind: 'done' })
    expect(await world.edge.waitForOutcome(imported.id)).toMatchObject({ fault: 'instance_not_found' })
    for (const { id } of [connected, another])
      expect(await world.edge.waitForOutcome(id)).toMatchObject({
        fault: expect.stringMatching(/^(session_conflict|instance_not_found)$/),
      })
    expect(await listStored()).toEqual([])
  })

  test('acts of an instance that is released to another host are refused as held elsewhere', async () => {
    for (const order of ['before', 'after'] as const) {
      const instance = crypto.randomUUID()
      await world.edge.performAction(instance, 'session.proxy', { ...KIND })
      const release: EdgeFrame = { t: 'release', instances: [instance] }
      const outcomes = await askAtOnce(instance, { [order]: [release] })
      expect([order, select(outcomes, faultsOfStore)]).toEqual([order, []])
    }
  })

  test('a send that has left when its instance is deleted, even twice at once, is unknown, and one that has not is refused', async () => {
    const instance = await world.linkPhone(ANNA)
    await world.edge.performAction(instance, 'message.sendText', createTextInput(BEN, 'first'))
    await world.sim('POST', '/faults', { kind: 'lost_ack', number: ANNA })
    // No receipt says that it has come.
    await world.sim('POST', '/phones', { number: '5511600000003', autoReceipt: false })
    const left = createAct(instance, ['message.sendText', createTextInput('5511600000003', 'it has left')])
    const waits = createAct(instance, ['message.sendText', { ...createTextInput(BEN, 'waits'), delay: 5000 }])
    world.edge.sendFrames(left, waits)
    await until(async () => {
      const { entries } = await world.sim<{ entries: { what: string; id?: string }[] }>('GET', '/log')
      const { messageid } = left.input as { messageid: string }
      return entries.some(({ what, id }) => what === 'message' && id === messageid)
    })
    const deletions = [1, 2].map(() => createAct(instance, ['session.delete', {}]))
    world.edge.sendFrames(...deletions)
    for (const { id } of deletions)
      expect(await world.edge.waitForOutcome(id)).toMatchObject({ kind: 'done' })
    expect((await world.edge.waitForOutcome(waits.id)).kind).toBe('refused')
    expect(describeOutcome('', await world.edge.waitForOutcome(waits.id))).not.toMatch(faultsOfStore)
    expect(await world.edge.waitForOutcome(left.id)).toEqual({
      kind: 'unknown',
      message:
        'The instance was deleted before the network answered; it is not known whether the request took effect.',
    })
    expect(await listStored()).toEqual([])
  })
})

function createManyLines(count: number): string {
  const lines = credentialLines.trim().split('\n').slice(0, -1)
  const rows = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ kind: 'lid-mapping', id: `${5511900000000 + n}`, value: `${100000000000000 + n}` }),
  )
  const end = JSON.stringify({ end: true, rows: lines.length - 1 + count })
  return `${[...lines, ...rows, end].join('\n')}\n`
}

describe('in a store that hosts share', () => {
  let shared: SharedStore

  beforeAll(async () => {
    shared = await startSharedStore()
    world = await startWorld({ sharedStore: { url: shared.url, token: shared.token } })
    world.edge.files.set(PARCEL, credentialLines)
    await world.createPhone(BEN)
  })
  afterAll(async () => {
    await world.close()
    await shared.close()
  })

  test.each(listAsks().map(([action], at) => [at, action] as const))(
    '%i: %s of an instance that another host has taken is refused as held elsewhere',
    async (at) => {
      const instance = crypto.randomUUID()
      await world.edge.performAction(instance, 'session.proxy', { ...KIND })
      await shared.queryRows(`UPDATE sessions SET epoch = 9, holder = 'other' WHERE instance = '${instance}'`)
      const [action, input] = listAsks()[at] ?? ['session.delete', {}]
      const outcome = await world.edge.performAction(instance, action, input as never)
      expect(describeOutcome(action, outcome)).toBe(`${action}: session_owned_elsewhere`)
      const again = await world.edge.performAction(instance, action, input as never)
      expect(describeOutcome(action, again)).toBe(`${action}: session_owned_elsewhere`)
      expect(await shared.queryRows(`SELECT holder FROM sessions WHERE instance = '${instance}'`)).toEqual([
        { holder: 'other' },
      ])
    },
  )

  test('a message that is due when another host has taken its instance stays for that host, and goes once from who has it', async () => {
    const [taken, own] = [await world.linkPhone(ANNA), await world.linkPhone('5511600000005')]
    const schedule = async (instance: string, text: string) => {
      const { messageid, ...input } = createTextInput(BEN, text)
      const sendAt = new Date(Date.now() + HOUR).toISOString()
      const request = { action: 'message.sendText', input, parcel: '', messageid, sendAt } as const
      expect((await world.edge.performAction(instance, 'message.schedule', request)).kind).toBe('done')
    }
    await schedule(taken, 'of the other host')
    await schedule(own, 'of this host')
    const listRows = () => shared.queryRows(`SELECT * FROM scheduled WHERE instance = '${taken}'`)
    const before = await listRows()
    const listTexts = async () =>
      (await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages.map(
        ({ text }) => text,
      )
    await shared.queryRows(`UPDATE sessions SET epoch = 9, holder = 'other' WHERE instance = '${taken}'`)
    world.clock.standStill(HOUR)
    await until(async () => (await listTexts()).includes('of this host'))
    await world.edge.performAction(taken, 'chat.archive', { number: BEN, archive: true })
    expect([await listTexts(), await listRows()]).toEqual([['of this host'], before])
    await world.edge.performAction(taken, 'session.connect', KIND, { epoch: 10 })
    await until(async () => (await listTexts()).includes('of the other host'))
    expect(await listRows()).toEqual([])
    expect(await listTexts()).toEqual(['of this host', 'of the other host'])
  })

  test('an import whose instance another host takes while its rows are stored is refused as held elsewhere', async () => {
    const instance = crypto.randomUUID()
    await shared.queryRows(`CREATE TRIGGER taken AFTER INSERT ON credentials
      WHEN new.instance = '${instance}' AND new.kind = 'lid-mapping'
      BEGIN UPDATE sessions SET epoch = 9, holder = 'other' WHERE instance = new.instance; END`)
    world.edge.files.set(PARCEL, createManyLines(1000))
    const input = { kind: 'msgnet', parcel: PARCEL } as const
    const outcome = await world.edge.performAction(instance, 'session.import', input)
    await shared.queryRows('DROP TRIGGER taken')
    expect(describeOutcome('import', outcome)).toBe('import: session_owned_elsewhere')
    // Its next holder deletes them, behind the mark.
    const kinds = `SELECT DISTINCT kind FROM credentials WHERE instance = '${instance}' ORDER BY kind`
    expect((await shared.queryRows(kinds)).map(({ kind }) => kind)).not.toContain('creds')
  })
})
