// What each route says of a field that is missing, wrong or too much, and in which order a request is judged.

import { entries } from '@msgnet/openapi/document.ts'
import { toPagination } from '@msgnet/shared/contract/responses/pagination.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import type { ApiResponse } from '../caller.ts'
import { createDevice, type Device } from '../device.ts'

const world = await borrowForFile()
let device: Device

beforeAll(async () => {
  device = await createDevice(world)
})

const number = '5511999999999'
const groupjid = '120363000000000000@g.us'
const invitecode = 'AAAAAAAAAAAAAAAAAAAAAA'
const id = '3EB0000000000000000000'
const place = { number, latitude: 1, longitude: 1 }
const event = { number, name: 'Opening', startTime: 1_789_678_800_000 }
const card = { number, fullName: 'Carla', phoneNumber: number }
const file = { number, type: 'image', file: 'AAAA' }
const picture = { type: 'image', file: 'AAAA' }
const poll = { number, type: 'poll', text: 'x', choices: ['a', 'b'] }
const people = { groupjid, action: 'add', participants: [number] }

const pickError = ({ status, body }: ApiResponse) => [status, body?.error]

test.each([
  ['/instance/connect/passkey', { assertion: 7 }, 'invalid_body', 'assertion'],
  ['/send/text', { number, text: 'x'.repeat(65_537) }, 'invalid_body', 'text'],
  ['/send/text', { number, text: 'x', mentions: ['nobody'] }, 'invalid_body', 'mentions'],
  ['/send/text', { number, text: 'x', delay: 1.5 }, 'invalid_body', 'delay'],
  ['/send/text', { number, text: 'x', readchat: 'yes' }, 'invalid_body', 'readchat'],
  ['/send/text', { number, text: 'x', track_id: 7 }, 'invalid_body', 'track_id'],
  ['/send/media', { ...file, number: 'me' }, 'invalid_number', 'number'],
  ['/send/media', { ...file, type: 'gif' }, 'invalid_body', 'type'],
  ['/send/media', { ...file, file: '' }, 'invalid_body', 'file'],
  ['/send/media', { ...file, mimetype: 'pdf' }, 'invalid_body', 'mimetype'],
  ['/send/location', { ...place, latitude: 91 }, 'invalid_body', 'latitude'],
  ['/send/location', { ...place, longitude: '1' }, 'invalid_body', 'longitude'],
  ['/send/album', { number, files: [picture] }, 'invalid_body', 'files'],
  ['/send/album', { number, files: Array(11).fill(picture) }, 'invalid_body', 'files'],
  [
    '/send/album',
    { number, files: [picture, { ...picture, type: 'audio' }] },
    'invalid_body',
    'files[1].type',
  ],
  [
    '/send/album',
    { number, files: [picture, { ...picture, file: 'A A!' }] },
    'invalid_body',
    'files[1].file',
  ],
  [
    '/send/album',
    { number, files: [picture, picture], sendAt: '2030-01-01T00:00:00Z' },
    'invalid_body',
    'sendAt',
  ],
  ['/send/event', { ...event, name: ' ' }, 'invalid_body', 'name'],
  ['/send/event', { ...event, startTime: 1.5 }, 'invalid_body', 'startTime'],
  [
    '/send/event',
    { ...event, startTime: 1_789_678_800 },
    'invalid_body',
    'startTime must be in milliseconds',
  ],
  ['/send/event', { ...event, endTime: event.startTime - 1 }, 'invalid_body', 'endTime'],
  ['/send/contact', { ...card, fullName: ' ' }, 'invalid_body', 'fullName'],
  ['/send/contact', { ...card, phoneNumber: '12' }, 'invalid_phone', 'phoneNumber'],
  ['/message/forward', { id, number: '1' }, 'invalid_number', 'number'],
  ['/message/forward', { number }, 'invalid_id', 'id'],
  ['/message/react', { id, number }, 'invalid_message', 'text'],
  ['/message/react', { id: '', number, text: '👍' }, 'invalid_id', 'id'],
  ['/message/delete', {}, 'invalid_id', 'id'],
  ['/message/edit', { id }, 'invalid_message', 'text'],
  ['/message/edit', { id, text: '' }, 'invalid_message', 'text'],
  ['/message/find', { track_source: 7 }, 'invalid_body', 'track_source'],
  ['/message/find', { chatid: 'them' }, 'invalid_number', 'chatid'],
  ['/message/find', { id, limit: 101 }, 'invalid_limit', 'limit'],
  ['/message/find', { id, offset: -1 }, 'invalid_body', 'offset'],
  ['/message/find', { words: 'invoice' }, 'invalid_body', 'words'],
  ['/message/find', { afterId: id }, 'invalid_body', 'afterId'],
  ['/message/download', { id: 7 }, 'invalid_id', 'id'],
  ['/message/presence', { number, presence: 'away' }, 'invalid_body', 'presence'],
  ['/message/presence', { presence: 'paused' }, 'invalid_number', 'number'],
  ['/chat/find', { limit: 0 }, 'invalid_limit', 'limit'],
  ['/chat/find', { unread: 1 }, 'invalid_body', 'unread'],
  ['/chat/check', { numbers: [] }, 'invalid_body', 'numbers'],
  ['/chat/check', { numbers: Array.from({ length: 101 }, () => number) }, 'invalid_body', 'numbers'],
  ['/chat/read', { number: '1234567' }, 'invalid_number', 'number'],
  ['/group/info', { groupjid: number }, 'invalid_group', 'groupjid'],
  ['/group/info', { groupjid, force: 'yes' }, 'invalid_body', 'force'],
  ['/group/create', { name: '', participants: [number] }, 'invalid_name', 'name'],
  ['/group/create', { name: 'x'.repeat(101), participants: [number] }, 'invalid_name', 'name'],
  ['/group/create', { name: 'x', participants: [] }, 'invalid_participants', 'participants'],
  ['/group/create', { name: 'x', participants: [groupjid] }, 'invalid_participants', 'participants'],
  [
    '/group/create',
    { name: 'x', participants: Array.from({ length: 1025 }, () => number) },
    'invalid_participants',
    'participants',
  ],
  ['/group/updateParticipants', { ...people, action: 'ban' }, 'invalid_action', 'action'],
  ['/group/updateParticipants', { ...people, participants: 'all' }, 'invalid_participants', 'participants'],
  ['/group/updateParticipants', { ...people, groupjid: '@g.us' }, 'invalid_group', 'groupjid'],
  ['/group/updateName', { groupjid, name: ' ' }, 'invalid_name', 'name'],
  ['/group/updateName', { groupjid, name: '👋'.repeat(101) }, 'invalid_name', 'name'],
  ['/group/updateName', { name: 'x' }, 'invalid_group', 'groupjid'],
  ['/group/updateImage', { groupjid, image: '' }, 'invalid_image', 'image'],
  ['/group/updateImage', { groupjid: 'group', image: 'remove' }, 'invalid_group', 'groupjid'],
  ['/group/leave', { groupjid: number }, 'invalid_group', 'groupjid'],
  ['/group/join', {}, 'invalid_body', 'invitecode'],
  ['/group/join', { invitecode: 'not a code' }, 'invalid_body', 'invitecode'],
  ['/group/inviteInfo', { invitecode: 'https://chat.example.com/' }, 'invalid_body', 'invitecode'],
  ['/group/resetInviteCode', { groupjid: number }, 'invalid_group', 'groupjid'],
  ['/group/updateDescription', { groupjid }, 'invalid_body', 'description'],
  ['/group/updateDescription', { groupjid, description: 'x'.repeat(2049) }, 'invalid_body', 'description'],
  ['/group/updateAnnounce', { groupjid, announce: 1 }, 'invalid_body', 'announce'],
  ['/group/updateLocked', { groupjid, locked: 'yes' }, 'invalid_body', 'locked'],
  ['/group/updateSettings', { groupjid }, 'invalid_body', 'must have'],
  ['/group/updateSettings', { groupjid, memberAddMode: 'all_member_add' }, 'invalid_body', 'memberAddMode'],
  ['/group/updateSettings', { groupjid, ephemeral: 60 }, 'invalid_body', 'ephemeral'],
  ['/group/requests', { groupjid: number }, 'invalid_group', 'groupjid'],
  ['/profile/about', {}, 'invalid_body', 'about'],
  ['/profile/about', { about: 'x'.repeat(140) }, 'invalid_body', 'about'],
  ['/chat/block', { number: groupjid, block: true }, 'invalid_number', 'number'],
  ['/chat/block', { number }, 'invalid_body', 'block'],
  ['/profile/name', { name: ' ' }, 'invalid_name', 'name'],
  ['/profile/name', { name: 'x'.repeat(26) }, 'invalid_name', 'name'],
  ['/profile/image', { image: '' }, 'invalid_image', 'image'],
  ['/instance/presence', { presence: 'away' }, 'invalid_body', 'presence'],
  ['/instance/privacy', { online: 'none' }, 'invalid_body', 'online'],
  ['/instance/updateInstanceName', { name: '' }, 'invalid_name', 'name'],
  ['/instance/updateDelaySettings', { msg_delay_min: 2, msg_delay_max: 1 }, 'invalid_body', 'msg_delay_max'],
  ['/instance/updateDelaySettings', { msg_delay_min: 0, msg_delay_max: 61 }, 'invalid_body', 'msg_delay_max'],
  ['/message/markread', { id: [] }, 'invalid_id', 'id'],
  ['/message/markread', { id: Array.from({ length: 101 }, () => id) }, 'invalid_id', 'id'],
  ['/send/menu', { ...poll, choices: ['one'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, choices: ['one', 'one'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, selectableCount: 3 }, 'invalid_body', 'selectableCount'],
  ['/send/menu', { ...poll, type: 'form' }, 'invalid_body', 'type'],
  ['/send/menu', { ...poll, choices: ['a', 'x'.repeat(101)] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, text: 'x'.repeat(256) }, 'invalid_body', 'text'],
  // As it would be with INTERACTIVE=on.
  ['/send/menu', { ...poll, type: 'button', choices: ['a|x', 'b|x'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, type: 'button', choices: Array(11).fill('a') }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, type: 'list', choices: ['[only a title]'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, type: 'carousel', choices: ['no card'] }, 'invalid_body', 'choices'],
  [
    '/send/menu',
    { ...poll, type: 'carousel', choices: ['[card]', '{https://x}'] },
    'invalid_body',
    'choices',
  ],
  ['/send/menu', { ...poll, type: 'carousel', choices: ['[card]', '{}', 'a'] }, 'invalid_body', 'choices'],
  [
    '/send/menu',
    { ...poll, type: 'carousel', choices: ['[card]', 'a', '{AA==}'] },
    'invalid_body',
    'choices',
  ],
  ['/send/menu', { ...poll, type: 'carousel', choices: ['[card]', '{AA==', 'a'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, type: 'list', choices: ['{https://x}', 'a'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, type: 'button', choices: ['{https://x}', 'a'] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, choices: ['a', `{${'x'.repeat(70_000)}}`] }, 'invalid_body', 'choices'],
  ['/send/menu', { ...poll, imageButton: 'AA==' }, 'invalid_body', 'imageButton'],
  ['/send/menu', { ...poll, type: 'list', imageButton: 'AA==' }, 'invalid_body', 'imageButton'],
  ['/send/menu', { ...poll, type: 'button', imageButton: 7 }, 'invalid_body', 'imageButton'],
  ['/send/menu', { ...poll, number: 'me' }, 'invalid_number', 'number'],
  ['/chat/archive', { number }, 'invalid_body', 'archive'],
  ['/chat/pin', { number: 'me', pin: true }, 'invalid_number', 'number'],
  ['/chat/mute', { number, muteEndTime: 9 }, 'invalid_body', 'muteEndTime'],
  ['/message/find', { search: 'x', track_id: 'y' }, 'invalid_body', 'search'],
  ['/message/find', { beforeId: 'x'.repeat(300) }, 'invalid_id', 'beforeId'],
  ['/chat/find', { before: 'x' }, 'invalid_body', 'before'],
  ['/chat/find', { before: '1:x', sort: 'name' }, 'invalid_body', 'before'],
  ['/chat/ephemeral', { number, seconds: 60 }, 'invalid_body', 'seconds'],
  ['/chat/delete', { number }, 'invalid_body', ''],
  ['/chat/details', { number, preview: 1 }, 'invalid_body', 'preview'],
  ['/contacts/list', { contactScope: 'none' }, 'invalid_body', 'contactScope'],
  ['/contact/add', { name: 'x' }, 'invalid_number', 'number'],
  ['/contact/add', { phone: groupjid, name: 'x' }, 'invalid_number', 'phone'],
  ['/contact/add', { number, name: '' }, 'invalid_name', 'name'],
  ['/contact/remove', {}, 'invalid_number', 'number'],
  ['/label/edit', { labelid: 'x', name: 'x' }, 'invalid_id', 'labelid'],
  ['/label/edit', { labelid: '7' }, 'invalid_name', 'name'],
  ['/label/edit', { name: 'x', color: 20 }, 'invalid_body', 'color'],
  ['/chat/labels', { number }, 'invalid_body', ''],
  ['/chat/labels', { number, add_labelid: 'x' }, 'invalid_id', 'add_labelid'],
  ['/call/reject', { id: '' }, 'invalid_id', 'id'],
  ['/v1/events/replay', { dryRun: true }, 'invalid_body', 'ids'],
  ['/v1/events/replay', { status: 'pending' }, 'invalid_status', 'status'],
  ['/v1/events/replay', { ids: ['seven'] }, 'invalid_id', 'ids[0] must be a UUID'],
  [
    '/send/status',
    { text: 'x', type: 'text', background_color: '#fff' },
    'invalid_body',
    'background_color must be a number',
  ],
] as [string, object, string, string][])('POST %s with %j is 400 %s', async (path, body, error, field) => {
  const response = await device.caller.post(path, body)
  expect(pickError(response)).toEqual([400, error])
  expect(response.body.message).toContain(field)
})

test.each(['force=perhaps', 'noparticipants=2'])('GET /group/list?%s is 400 invalid_query', async (query) => {
  expect(pickError(await device.caller.get(`/group/list?${query}`))).toEqual([400, 'invalid_query'])
})

describe('without a session', () => {
  const bodies: Record<string, object> = {
    '/send/text': { number, text: 'x' },
    '/send/media': file,
    '/send/location': place,
    '/send/album': { number, files: [picture, picture] },
    '/send/event': event,
    '/send/menu': poll,
    '/send/contact': card,
    '/message/presence': { number, presence: 'paused' },
    '/chat/read': { number },
    '/chat/check': { numbers: [number] },
    '/group/info': { groupjid },
    '/group/create': { name: 'x', participants: [number] },
    '/group/updateParticipants': people,
    '/group/updateName': { groupjid, name: 'x' },
    '/group/updateImage': { groupjid, image: 'remove' },
    '/group/leave': { groupjid },
    '/group/join': { invitecode },
    '/group/inviteInfo': { invitecode },
    '/group/resetInviteCode': { groupjid },
    '/group/updateDescription': { groupjid, description: '' },
    '/group/updateAnnounce': { groupjid, announce: true },
    '/group/updateLocked': { groupjid, locked: true },
    '/group/updateSettings': { groupjid, ephemeral: 0 },
    '/group/requests': { groupjid },
    '/chat/archive': { number, archive: true },
    '/chat/pin': { number, pin: true },
    '/chat/mute': { number, muteEndTime: 0 },
    '/chat/ephemeral': { number, seconds: 0 },
    '/chat/delete': { number, deleteChatDB: true },
    '/chat/details': { number },
    '/contact/add': { number, name: 'x' },
    '/contact/remove': { number },
    '/label/edit': { name: 'x' },
    '/chat/labels': { number, labelids: [] },
    '/chat/block': { number, block: true },
    '/profile/name': { name: 'x' },
    '/profile/about': { about: '' },
    '/profile/image': { image: 'remove' },
    '/instance/presence': { presence: 'available' },
    '/instance/privacy': {},
    '/message/markread': { id: [id] },
  }
  test.each(Object.entries(bodies))('POST %s is 409 not_connected', async (path, body) => {
    expect(pickError(await device.caller.post(path, body))).toEqual([409, 'not_connected'])
  })

  const naming: Record<string, object> = {
    '/message/forward': { id, number },
    '/message/react': { id, number, text: '' },
    '/message/edit': { id, text: 'x' },
    '/message/delete': { id },
    '/message/download': { id },
    '/send/text': { number, text: 'x', replyid: id },
  }
  test.each(Object.entries(naming))('POST %s is 404 message_not_found', async (path, body) => {
    expect(pickError(await device.caller.post(path, body))).toEqual([404, 'message_not_found'])
  })

  test.each(['/group/list', '/chat/blocklist', '/instance/privacy'])(
    'GET %s is 409 not_connected',
    async (path) => {
      expect(pickError(await device.caller.get(path))).toEqual([409, 'not_connected'])
    },
  )

  test('a search without results is no error', async () => {
    const page = { limit: 50, offset: 0, nextOffset: 0, hasMore: false }
    const nothing = { ...page, messages: [], returnedMessages: 0 }
    expect((await device.caller.post('/message/find', { id })).body).toEqual(nothing)
    expect((await device.caller.post('/message/find')).body).toEqual(nothing)
    const chats = { ...page, chats: [], pagination: toPagination(0, 50, 0) }
    expect((await device.caller.post('/chat/find')).body).toEqual(chats)
  })
})

describe('the order of checks', () => {
  test('route, method, credential, body, key and session are checked in this order', async () => {
    const anonymous = world.callAs('mgi_wrong')
    const key = { 'idempotency-key': 'two words' }
    const good = { number, text: 'x' }
    expect(pickError(await anonymous.post('/send/words', '{', key))).toEqual([404, 'not_found'])
    expect(pickError(await anonymous.request('PUT', '/send/text', '{', key))).toEqual([
      405,
      'method_not_allowed',
    ])
    expect(pickError(await anonymous.post('/send/text', '{', key))).toEqual([401, 'unauthorized'])
    expect(pickError(await device.caller.post('/send/text', '{', key))).toEqual([400, 'invalid_json'])
    expect(pickError(await device.caller.post('/send/text', good, key))).toEqual([
      400,
      'invalid_idempotency_key',
    ])
    expect(pickError(await device.caller.post('/send/text', good))).toEqual([409, 'not_connected'])
  })

  test.each(entries.filter(({ operation }) => operation.idempotent).map(({ route }) => route))(
    '%s refuses a malformed key',
    async (route) => {
      const { method, path, operation } = entries.find((entry) => entry.route === route) ?? {}
      const [example] = Object.values(operation?.body?.samples ?? {})
      const caller = operation?.auth === 'admin' ? world.admin : device.caller
      const response = await caller.request(method ?? '', path ?? '', example, {
        'idempotency-key': 'ä b',
      })
      expect(pickError(response)).toEqual([400, 'invalid_idempotency_key'])
    },
  )
})

describe('sizes', () => {
  const MIB = 1024 * 1024
  const postForStatus = async (path: string, body: object) => (await device.caller.post(path, body)).status

  test('routes with files accept 12 MiB of JSON, others 1 MiB', async () => {
    const image = 'A'.repeat(11 * MIB)
    expect(await postForStatus('/group/updateImage', { groupjid, image })).toBe(409)
    expect(await postForStatus('/send/media', { ...file, file: image })).toBe(409)
    expect(await postForStatus('/send/media', { ...file, file: 'A'.repeat(12 * MIB) })).toBe(413)
    expect(await postForStatus('/send/text', { number, text: 'A'.repeat(2 * MIB) })).toBe(413)
  })

  test('a body that is nested too deeply is invalid_json', async () => {
    const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`
    const response = await device.caller.post('/send/text', deep)
    expect(response.status).toBe(400)
  })

  test('a body of more values than any request has is invalid_json, also in fields that are not known', async () => {
    const wide = { number, text: 'a', unknown: Array.from({ length: 100_000 }, () => []) }
    const { status, body } = await device.caller.post('/send/text', wide)
    expect([status, body.error]).toEqual([400, 'invalid_json'])
    expect(await postForStatus('/send/text', { number, text: '[],{},'.repeat(8000) })).toBe(409)
  })
})

test('buttons, lists and carousels are refused while they are off, and the refusal says why and what to send', async () => {
  for (const type of ['button', 'list']) {
    const { status, body } = await device.caller.post('/send/menu', { ...poll, type })
    expect([status, body.error]).toEqual([400, 'invalid_body'])
    expect(body.message).toMatch(/^type: .*INTERACTIVE.*Not every phone.*poll/)
  }
})
