// The stored groups of an account in pages: bounded where groups are large, and without the members that nobody asked for.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActionContext } from '@msgnet/session-host/actions/action.ts'
import { groupActions } from '@msgnet/session-host/actions/group-actions.ts'
import type { GroupMember, NetworkGroup } from '@msgnet/session-host/driver/group-network.ts'
import type { Intake } from '@msgnet/session-host/sessions/intake.ts'
import { Groups } from '@msgnet/session-host/sessions/session-groups.ts'
import type { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import { replaceGroups } from '@msgnet/session-host/store/group-store.ts'
import { openStore, type Store } from '@msgnet/session-host/store/host-store.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const GROUPS = 150
const instance = 'one'
const own = { jid: '5511990000001@s.msgnet.net', lid: '90001@lid' }
const folder = mkdtempSync(join(tmpdir(), 'groups-'))
let store: Store
let context: ActionContext

function createGroup(n: number): NetworkGroup {
  const createMember = (at: number, change: Partial<GroupMember> = {}): GroupMember => ({
    id: `${n}${at}@lid`,
    pn: '',
    lid: `${n}${at}@lid`,
    role: 'member',
    name: '名'.repeat(100),
    error: 0,
    ...change,
  })
  // Own forms, roles and refused people differ from group to group.
  const members = Array.from({ length: n % 40 }, (_, at) => createMember(at, at === 7 ? { error: 403 } : {}))
  if (n % 3 === 0) members.push(createMember(90, { lid: own.lid, role: n % 2 ? 'admin' : 'member' }))
  if (n % 3 === 1) members.push(createMember(91, { pn: own.jid, id: own.jid, lid: '' }))
  const owner = { id: `${n}3@lid`, pn: '', lid: '' }
  if (n % 4 === 0) members.push(createMember(3, { pn: `55119${n}@s.msgnet.net`, role: 'superadmin' }))
  return {
    jid: `${String(100000 + n)}@g.us`,
    owner,
    subject: `Group ${n}`,
    topic: '',
    created: 1,
    locked: false,
    announce: n % 5 === 0,
    ephemeral: 0,
    joinApproval: false,
    memberAddMode: 'admin_add',
    addressing: 'lid',
    members,
  }
}

beforeAll(async () => {
  store = await openStore(join(folder, 'host.db'), () => undefined)
  await store.commit(
    replaceGroups(
      store,
      instance,
      Array.from({ length: GROUPS }, (_, n) => createGroup(n)),
    ),
  )
  const state = { row: { instance }, now: own } as unknown as StoredState
  const log = { error: (entry: object) => expect(entry).toEqual({}) }
  const groups = new Groups({ store, log } as never, state, {} as Intake)
  context = {
    session: { groups },
    network: {},
    turnDeadline: new AbortController().signal,
  } as unknown as ActionContext
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** All pages, and the most characters of JSON that one of them took to read. */
async function listAll(participants: boolean): Promise<{ pages: GroupRecord[][]; most: number }> {
  const pages: GroupRecord[][] = []
  let most = 0
  const { parse } = JSON
  for (let after: string | null = ''; after !== null; ) {
    let read = 0
    JSON.parse = (text, reviver) => {
      read += text.length
      return parse(text, reviver)
    }
    const outcome = await groupActions['group.list'](context, { force: false, participants, after })
    JSON.parse = parse
    most = Math.max(most, read)
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
    pages.push(outcome.result.groups)
    after = outcome.result.next
  }
  return { pages, most }
}

test('pages have each group once, with its members, and are read in bounded pieces', async () => {
  const { pages, most } = await listAll(true)
  const listed = pages.flat()
  expect(listed.map(({ JID }) => JID)).toEqual(Array.from({ length: GROUPS }, (_, n) => `${100000 + n}@g.us`))
  expect(listed.map(({ Participants }) => Participants.length)).toEqual(
    Array.from({ length: GROUPS }, (_, n) => createGroup(n).members.length),
  )
  expect(most).toBeLessThan(250_000)
})

test('without members they are the same records, read without the members', async () => {
  const whole = (await listAll(true)).pages.flat()
  const { pages, most } = await listAll(false)
  expect(pages.map(({ length }) => length)).toEqual([100, 50])
  expect(pages.flat()).toEqual(whole.map((record) => ({ ...record, Participants: [] })))
  expect(most).toBeLessThan(100_000)
})
