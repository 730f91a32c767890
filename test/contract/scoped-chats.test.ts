// Scoped tokens for some chats: on every route, by its declaration, other chats are as if they were not there.

import { type Entry, entries } from '@msgnet/openapi/document.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createCaller } from '../caller.ts'
import { createDevice, createNumber, createPhone, type Device, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const world = await borrowForFile()
const device = await linkDevice(world, await createDevice(world, 'Shop'))
const pickError = ({ status, body }: ApiResponse) => [status, body?.error, body?.error_key]

async function createToken(chats: string[], scope = 'full', { caller }: Pick<Device, 'caller'> = device) {
  const { status, body, text } = await caller.post('/instance/tokens', { name: 'Confined', scope, chats })
  if (status !== 200) throw new Error(text)
  return { token: body.token as string, caller: createCaller(world.run.baseUrl, { token: body.token }) }
}

const own = entries.filter(({ operation }) => operation.auth === 'instance' && operation.tokenScope !== 'own')
const withUse = (use: string) =>
  own.filter(({ operation }) => operation.chats === use).map((entry) => [entry.route, entry] as const)

const createGroup = async (): Promise<string> => {
  const wish = { subject: 'Regulars', owner: device.number, participants: [await createPhone(world)] }
  const { jid } = await world.sim('POST', '/groups', wish)
  await until(async () => (await device.caller.post('/group/info', { groupjid: jid })).status === 200)
  return String(jid)
}

interface Place {
  chat: string
  /** Of an own message there. */
  messageid: string
}

async function createPlace(operation: Entry['operation'], sample: object): Promise<Place> {
  const chat = 'groupjid' in sample ? await createGroup() : await createPhone(world)
  const words = { number: chat, text: `To ${chat}` }
  const file = { ...words, type: 'document', file: 'Zm9yIHRoZSBleGFtcGxl' }
  const sent =
    operation.names === 'message'
      ? await device.caller.post('/send/text', { ...words, sendAt: new Date(Date.now() + DAY).toISOString() })
      : operation.id === 'downloadMessage'
        ? await device.caller.post('/send/media', file)
        : await device.caller.post('/send/text', words)
  return { chat, messageid: sent.body.messageid }
}

const findEvent = (messageid: string): Promise<string> =>
  until(async () => (await device.caller.get(`/v1/events?messageid=${messageid}`)).body.events[0]?.id)

/** The first sample of the route, about this place. A route that names chats in yet another way is to be added here. */
async function requestAt(caller: Caller, { method, path, operation }: Entry, { chat, messageid }: Place) {
  const { id: messages, ...sample } = readSample(operation)
  const body: Seen = { ...sample, sendAt: undefined, replyid: undefined }
  let isNamed = false
  const name = (field: string, value: unknown) => {
    isNamed = true
    body[field] = value
  }
  for (const field of ['number', 'phone', 'groupjid']) if (field in sample) name(field, chat)
  if (messages !== undefined) name('id', messageid)
  if ('messageid' in sample) name('messageid', messageid)
  if ('participants' in sample) body.participants = [await createPhone(world)]
  if (operation.names) isNamed = true
  const named = operation.names === 'event' ? await findEvent(messageid) : messageid
  expect(isNamed).toBe(true)
  return caller.request(method, path.replace('{id}', named), operation.body ? body : undefined)
}

const readSample = ({ body }: Entry['operation']): Seen => Object.values(body?.samples ?? { none: {} })[0]

const HIDDEN = [
  [404, 'group_not_found'],
  [404, 'message_not_found'],
  [404, 'event_not_found'],
  [404, 'not_found'],
  [422, 'not_on_network'],
].map(String)
const isHidden = ({ status, body }: ApiResponse) => HIDDEN.includes(String([status, body?.error]))

/** They have tests of their own below: each message has its own result, or there must be a call, or a message that cannot be decrypted. */
const byThemselves = ['markRead', 'rejectCall', 'recoverMessage']

test.each(withUse('named').filter(([, { operation }]) => !byThemselves.includes(operation.id)))(
  '%s finds a chosen chat, and no other',
  async (_, entry) => {
    const sample = readSample(entry.operation)
    const [inside, outside] = [
      await createPlace(entry.operation, sample),
      await createPlace(entry.operation, sample),
    ]
    const { caller } = await createToken([inside.chat])
    const refused = await requestAt(caller, entry, outside)
    expect([isHidden(refused), pickError(refused)]).toEqual([true, expect.anything()])
    const found = await requestAt(caller, entry, inside)
    expect([found.status, found.status === 200 || found.text]).toEqual([200, true])
  },
  20_000,
)

test.each(withUse('all'))('%s is closed to a token for some chats', async (_, { method, path }) => {
  const { caller } = await createToken(['groups', 'people'])
  const response = await caller.request(method, path.replace('{id}', crypto.randomUUID()))
  expect(pickError(response)).toEqual([403, 'not_admin', 'scope'])
})

test.each(withUse('groups'))('%s needs a token for all groups', async (_, { method, path }) => {
  const [some, all] = [await createToken([await createGroup(), 'people']), await createToken(['groups'])]
  const request = async ({ caller }: typeof some) => pickError(await caller.request(method, path, {}))
  expect(await request(some)).toEqual([403, 'not_admin', 'scope'])
  expect((await request(all))[0]).toBe(400)
})

test.each(withUse('none'))('%s is open to a token for some chats', async (_, { method, path }) => {
  // Not linked: what needs no body is done.
  const other = await createDevice(world)
  const { caller } = await createToken(['5511988887777'], 'full', other)
  expect((await caller.request(method, path)).status).not.toBe(403)
})

describe('lists', async () => {
  const people = [await createPhone(world, 'Inside'), await createPhone(world, 'Outside')] as const
  const groups = [await createGroup(), await createGroup()] as const
  const sendAt = new Date(Date.now() + DAY).toISOString()
  for (const chat of [...people, ...groups]) {
    await device.caller.post('/send/text', { number: chat, text: `words for ${chat}`, track_id: 'both' })
    await device.caller.post('/send/text', { number: chat, text: `later for ${chat}`, sendAt })
  }
  for (const phone of people) {
    await device.caller.post('/contact/add', { phone, name: `Name of ${phone}` })
    await world.sim('POST', '/messages', { from: phone, to: device.number, text: `from ${phone}` })
    await device.caller.post('/chat/block', { number: phone, block: true })
  }
  const { caller, token } = await createToken([people[0], groups[0]], 'read')

  async function readStream(): Promise<string> {
    const leave = new AbortController()
    const headers = { token, 'last-event-id': '0' }
    const response = await fetch(`${world.run.baseUrl}/v1/events/stream`, { headers, signal: leave.signal })
    let text = ''
    for await (const part of response.body ?? []) {
      text += new TextDecoder().decode(part)
      if (text.includes(`from ${people[0]}`)) break
    }
    leave.abort()
    return text
  }
  const ask = (path: string, body?: object) => async () =>
    (body ? await caller.post(path, body) : await caller.get(path)).text

  /** Of each route that lists: what it answers, and what of the first and of the second stands in the answer of the instance's own token. */
  const lists: Record<
    string,
    { read: () => Promise<string>; marks: readonly (readonly [string, string])[] }
  > = {
    listBlocked: { read: ask('/chat/blocklist'), marks: [people] },
    resolveIdentities: {
      read: async () => {
        const { body } = await caller.post('/v1/identity/resolve', { ids: [...people] })
        return body.map(({ id, lid }: Seen) => (lid ? id : '')).join()
      },
      marks: [people],
    },
    listScheduled: { read: ask('/v1/scheduled'), marks: [people, groups] },
    findMessages: { read: ask('/message/find', { track_id: 'both' }), marks: [people, groups] },
    findChats: { read: ask('/chat/find', {}), marks: [people, groups] },
    checkNumbers: {
      read: async () => {
        const { body } = await caller.post('/chat/check', { numbers: [...people, ...groups] })
        return body.map(({ query, isInMsgnet }: Seen) => (isInMsgnet ? query : '')).join()
      },
      marks: [people, groups],
    },
    listContacts: { read: ask('/contacts'), marks: [people] },
    findContacts: { read: ask('/contacts/list', { contactScope: 'all' }), marks: [people] },
    listGroups: { read: ask('/group/list'), marks: [groups] },
    listEvents: { read: ask('/v1/events?limit=200'), marks: [people, groups] },
    streamEvents: { read: readStream, marks: [people] },
  }

  test.each(withUse('listed').filter(([, { operation }]) => operation.id !== 'listCalls'))(
    '%s has what is of a chosen chat, and nothing of another',
    async (_, { operation }) => {
      const list = lists[operation.id]
      const marks = list?.marks ?? []
      const text = await until(async () => {
        const answered = (await list?.read()) ?? ''
        return marks.every(([inside]) => answered.includes(inside)) && answered
      })
      for (const [, outside] of marks) expect(text).not.toContain(outside)
    },
  )

  test('counts in lists are those of the chosen chats', async () => {
    expect((await caller.get('/v1/scheduled')).body.total).toBe(2)
    expect((await caller.post('/chat/find', {})).body.pagination.totalRecords).toBe(2)
    expect(
      (await caller.post('/contacts/list', { contactScope: 'address_book' })).body.pagination,
    ).toMatchObject({
      totalRecords: 1,
    })
  })

  test('filters of chats of which one suffices find no chat beside the chosen ones', async () => {
    const filters = { operator: 'OR', wa_isGroup: false, wa_isGroup_member: true, wa_chatid: '~@' }
    const { chats, pagination } = (await caller.post('/chat/find', filters)).body
    expect([chats.map(({ id }: Seen) => id).sort(), pagination.totalRecords]).toEqual([
      [`${people[0]}@s.msgnet.net`, groups[0]].sort(),
      2,
    ])
  })

  test('messages are found in a chosen chat only, by its id and by theirs', async () => {
    const find = async (body: object) => (await caller.post('/message/find', body)).body.messages.length
    const [inside, outside] = await Promise.all(
      people.map(
        async (chatid) => (await device.caller.post('/message/find', { chatid })).body.messages[0].messageid,
      ),
    )
    expect(await find({ chatid: people[0] })).toBeGreaterThan(0)
    expect([await find({ search: 'words' }), await find({ search: people[1] })]).toEqual([2, 0])
    expect((await caller.post('/message/find', { search: 'words', beforeId: outside })).status).toBe(404)
    expect([
      await find({ chatid: people[1] }),
      await find({ id: outside }),
      await find({ id: inside }),
    ]).toEqual([0, 0, 1])
  })

  test('a file is served by the header of the token, if its message is in a chosen chat', async () => {
    const statuses = await Promise.all(
      people.map(async (number) => {
        const file = { number, type: 'document', file: 'Zm9yIHRoZSBleGFtcGxl' }
        const { messageid } = (await device.caller.post('/send/media', file)).body
        const response = await fetch(`${world.run.baseUrl}/media?id=${messageid}`, { headers: { token } })
        await response.body?.cancel()
        return response.status
      }),
    )
    expect(statuses).toEqual([200, 404])
  })
})

test('a reply cannot quote a message of another chat', async () => {
  const [inside, outside] = [await createPhone(world), await createPhone(world)]
  const { id, messageid: quoted } = (
    await device.caller.post('/send/text', { number: outside, text: 'a secret' })
  ).body
  const { caller } = await createToken([inside])
  for (const replyid of [quoted, id, ` ${quoted}`, `${id.split(':')[0]}:${id}`]) {
    const reply = { number: inside, text: 'what was it?', replyid }
    const sent = await caller.post('/send/text', reply)
    expect([replyid, ...pickError(sent).slice(0, 2)]).toEqual([replyid, 404, 'message_not_found'])
  }
  const forward = { number: inside, id: quoted }
  expect(pickError(await caller.post('/message/forward', forward)).slice(0, 2)).toEqual([
    404,
    'message_not_found',
  ])
})

test('a mention tells nothing of a person of another chat: it is refused, unless they are in the group', async () => {
  const [inside, outside] = [await createPhone(world), await createPhone(world, 'Outsider')]
  const { body: known } = await device.caller.post('/send/text', { number: outside, text: 'hello' })
  const group = await createGroup()
  const { body: found } = await device.caller.post('/group/info', { groupjid: group })
  const { caller } = await createToken([inside, group], 'send')
  const send = (number: string, mentions: string[], sendAt?: string) =>
    caller.post('/send/text', { number, text: 'who is this?', mentions, sendAt })
  for (const number of [inside, group])
    for (const id of [outside, known.chatlid])
      for (const sendAt of [undefined, new Date(Date.now() + DAY).toISOString()])
        expect(pickError(await send(number, [id], sendAt)).slice(0, 2)).toEqual([422, 'not_on_network'])
  expect((await send(inside, [inside, device.number])).status).toBe(200)
  const members = found.Participants.map(({ JID }: Seen) => JID)
  expect((await send(group, [...members, 'all'])).body.mentions).toHaveLength(members.length)
})

test('a token for some chats sees the chosen ones of the groups that the account has in common with somebody', async () => {
  const [person, other] = [await createPhone(world), await createPhone(world)]
  const createShared = async (subject: string) => {
    const group = { subject, owner: device.number, participants: [person, other] }
    return String((await world.sim('POST', '/groups', group)).jid)
  }
  const [inside, outside] = [await createShared('Chosen'), await createShared('Hidden')]
  const readCommon = async ({ caller }: Pick<Device, 'caller'>) =>
    (await caller.post('/chat/details', { number: person })).body.common_groups as string
  await until(async () => (await readCommon(device)).includes(outside))
  await until(async () => (await readCommon(device)).includes(inside))
  const read = async (chats: string[]) => readCommon(await createToken([person, ...chats], 'read'))
  expect(await read([inside])).toBe(`(Chosen)${inside}`)
  expect(await read([])).toBe('')
  expect(await read(['groups'])).toContain(outside)
})

test('messages are marked as read in a chosen chat only', async () => {
  const people = [await createPhone(world), await createPhone(world)]
  const ids = await Promise.all(
    people.map(async (from) => {
      const { id } = await world.sim('POST', '/messages', { from, to: device.number, text: 'unread' })
      await until(async () => (await device.caller.post('/message/find', { id })).body.messages.length === 1)
      return id as string
    }),
  )
  const { caller } = await createToken([people[0] ?? ''])
  const { results } = (await caller.post('/message/markread', { id: ids })).body
  expect(results.map(({ status, error }: Seen) => [status, error])).toEqual([
    ['success', ''],
    ['failed', 'message_not_found'],
  ])
})

describe('every spelling of an address matches', async () => {
  const number = `55119${8}${createNumber().slice(-7)}`
  await world.sim('POST', '/phones', { number, name: 'Spelled' })
  await device.caller.post('/send/text', { number, text: 'to be found' })
  const { body } = await device.caller.post('/v1/identity/resolve', { ids: [number] })
  const { lid } = body[0]
  const shorter = number.replace(/^(55\d\d)9/, '$1')
  const spellings = [number, `+55 (11) ${number.slice(4)}`, `${number}@s.msgnet.net`, shorter, lid]

  test.each(spellings)('a token for %s', async (spelling) => {
    const { caller } = await createToken([spelling], 'send')
    for (const chat of spellings) {
      expect([chat, (await caller.post('/send/text', { number: chat, text: 'hello' })).status]).toEqual([
        chat,
        200,
      ])
      expect((await caller.post('/message/find', { chatid: chat })).body.messages.length).toBeGreaterThan(0)
    }
    expect((await caller.post('/chat/find', {})).body.chats).toHaveLength(1)
    expect((await caller.get('/v1/events?type=messages')).body.events.length).toBeGreaterThan(0)
    const other = await createPhone(world)
    const refused = await caller.post('/send/text', { number: other, text: 'hello' })
    expect(pickError(refused).slice(0, 2)).toEqual([422, 'not_on_network'])
  })
})

test('groups and people stand for all of them', async () => {
  const [person, group] = [await createPhone(world), await createGroup()]
  const statuses = await Promise.all(
    ['groups', 'people'].map(async (kind) => {
      const { caller } = await createToken([kind])
      const send = async (number: string) =>
        (await caller.post('/send/text', { number, text: 'hello' })).status
      return [await send(person), await send(group)]
    }),
  )
  expect(statuses).toEqual([
    [422, 200],
    [200, 404],
  ])
})
