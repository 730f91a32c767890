// The form of Evolution below its prefix: a field of a wrong type is refused by its name there, and nothing is done without it.

import { expect, test } from 'vitest'
import { borrowEvolution, nameIn, PIXEL, toOuter } from '../evolution-scene.ts'
import { until } from '../until.ts'

const { world, adminKey, own, account, friend, place, callAs } = await borrowEvolution()
const post = (path: string, body: object) => own.post(nameIn(path), body)
const key = { id: '3EB0AA', remoteJid: toOuter(friend), fromMe: true }
const sayType = (field: string, type: string) => `instance.${field} is not of a type(s) ${type}`

/** What all sends take, in a text of 2.x and in one of 1.x. */
const options: [fields: object, words: string][] = [
  [{ delay: 'soon' }, sayType('delay', 'integer')],
  [{ delay: 1.5 }, sayType('delay', 'integer')],
  [{ delay: -1 }, 'delay must be at least 0.'],
  [{ delay: [1] }, sayType('delay', 'integer')],
  [{ quoted: '3EB0AA' }, sayType('quoted', 'object')],
  [{ quoted: {} }, 'instance.quoted requires property "key.id"'],
  [{ quoted: { key: '3EB0AA' } }, 'instance.quoted requires property "key.id"'],
  [{ quoted: { key: { fromMe: true } } }, 'instance.quoted requires property "key.id"'],
  [{ quoted: { key: { id: '' } } }, 'instance.quoted requires property "key.id"'],
  [{ quoted: { key: { id: { a: 1 } } } }, sayType('quoted.key.id', 'string')],
  [{ mentioned: '5511900000077' }, sayType('mentioned', 'array')],
  [{ mentioned: ['5511900000077', {}] }, sayType('mentioned[1]', 'string')],
  [{ mentioned: ['somebody'] }, expect.stringMatching(/^mentioned must be /)],
  [{ mentionsEveryOne: 'all' }, sayType('mentionsEveryOne', 'boolean')],
  [{ everyOne: 1 }, sayType('everyOne', 'boolean')],
  [{ linkPreview: 'yes' }, sayType('linkPreview', 'boolean')],
]

test.each(options)('a text with %j is refused, and is not sent', async (fields, words) => {
  const text = `never ${crypto.randomUUID()}`
  for (const body of [
    { text, ...fields },
    { textMessage: { text }, options: fields },
  ]) {
    const { status, body: refused } = await post('/message/sendText', { number: friend, ...body })
    expect([status, refused.response]).toEqual([400, { message: [[words]] }])
  }
  const after = await post('/message/sendText', { number: friend, text: `after ${text}` })
  expect(after.status).toBe(201)
  const texts = await until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    const found = (messages as { text?: string }[]).map((message) => message.text)
    return found.includes(`after ${text}`) && found
  })
  expect(texts).not.toContain(text)
})

test('what programs write for nothing, and numbers and truth as texts, is taken', async () => {
  const number = friend
  for (const nothing of ['', null]) {
    const options = { delay: nothing, quoted: nothing, mentioned: nothing, everyOne: nothing }
    expect((await post('/message/sendText', { number, text: 'plain', ...options })).status).toBe(201)
  }
  const first = await post('/message/sendText', { number, text: 'first', delay: '1', linkPreview: 'false' })
  expect(first.status).toBe(201)
  // Flows pass on the whole message that they got.
  const quoted = { ...first.body, message: { text: 1 } }
  const reply = await post('/message/sendText', { number, text: 'second', quoted, mentioned: [] })
  expect(reply.body.contextInfo).toMatchObject({ stanzaId: first.body.key.id })
})

/** Routes that send, each with what is wrong and how it is told. */
const others: [path: string, body: object, words: unknown][] = [
  ['sendMedia', { mediatype: 'image', media: 'no file' }, expect.stringMatching(/^media must be /)],
  ['sendMedia', { mediatype: 'image', media: { url: 'x' } }, sayType('media', 'string')],
  ['sendMedia', { mediatype: 'image', media: PIXEL, caption: ['a'] }, sayType('caption', 'string')],
  [
    'sendMedia',
    { mediatype: 'image', media: PIXEL, caption: 'a'.repeat(70_000) },
    expect.stringMatching(/^caption must have /),
  ],
  [
    'sendMedia',
    { mediatype: 'document', media: PIXEL, fileName: 'a'.repeat(300) },
    expect.stringMatching(/^fileName must have /),
  ],
  ['sendSticker', { sticker: 'no file' }, expect.stringMatching(/^sticker must be /)],
  ['sendWhatsAppAudio', { audio: 'no file' }, expect.stringMatching(/^audio must be /)],
  ['sendWhatsAppAudio', { audio: PIXEL, encoding: 'no' }, sayType('encoding', 'boolean')],
  ['sendPtv', { video: 'no file' }, expect.stringMatching(/^video must be /)],
  ['sendLocation', { latitude: true, longitude: 1 }, sayType('latitude', 'number')],
  ['sendLocation', { latitude: 1, longitude: [2] }, sayType('longitude', 'number')],
  ['sendLocation', { latitude: 1, longitude: 1, name: {} }, sayType('name', 'string')],
  ['sendContact', { contact: [{ fullName: 'B', email: {} }] }, sayType('contact[0].email', 'string')],
  [
    'sendPoll',
    { name: 'When?', selectableCount: true, values: ['a', 'b'] },
    sayType('selectableCount', 'integer'),
  ],
  ['sendPoll', { name: 'When?', selectableCount: 1, values: 'a' }, sayType('values', 'array')],
  [
    'sendPoll',
    { name: 'When?', selectableCount: 1, values: ['a', ''] },
    expect.stringMatching(/^values\[1\] /),
  ],
  ['sendButtons', { title: 'a', buttons: [{ displayText: 'b' }, 'c'] }, sayType('buttons[1]', 'object')],
  ['sendButtons', { title: 'a', buttons: [] }, expect.stringMatching(/^buttons must have /)],
  ['sendList', { title: 'a', sections: [{ rows: 'none' }] }, sayType('sections[0].rows', 'array')],
  [
    'sendReaction',
    { key: { ...key, remoteJid: 'x' }, reaction: 'a' },
    expect.stringMatching(/^key must be /),
  ],
  ['sendReaction', { key, reaction: 'a'.repeat(200) }, expect.stringMatching(/^reaction must have /)],
  [
    'sendStatus',
    { type: 'text', content: 'a', allContacts: true, backgroundColor: 'red' },
    expect.stringMatching(/^backgroundColor must be /),
  ],
  ['sendStatus', { type: 'text', content: 'a', allContacts: true, font: true }, sayType('font', 'integer')],
]

test.each(others)('%s with %j is refused by the name of the field', async (route, body, words) => {
  const refused = await post(`/message/${route}`, { number: friend, ...body })
  expect([refused.status, refused.body.response]).toEqual([400, { message: [[words]] }])
})

/** Other routes. */
const rest: [path: string, body: object, words: unknown][] = [
  ['/chat/markMessageAsRead', { readMessages: [key, {}] }, 'instance.readMessages[1] requires property "id"'],
  ['/chat/markMessageAsRead', { readMessages: key }, 'instance requires property "readMessages"'],
  [
    '/chat/sendPresence',
    { number: account, presence: 'composing', delay: 'long' },
    sayType('delay', 'integer'),
  ],
  ['/chat/whatsappNumbers', { numbers: account }, sayType('numbers', 'array')],
  ['/chat/archiveChat', { chat: account, archive: 'maybe' }, sayType('archive', 'boolean')],
  ['/chat/archiveChat', { chat: 'x', archive: true }, expect.stringMatching(/^chat must be /)],
  ['/chat/findMessages', { where: 'x' }, sayType('where', 'object')],
  ['/chat/findMessages', { where: { key: { fromMe: 'x' } } }, sayType('where.key.fromMe', 'boolean')],
  ['/chat/findMessages', { where: {}, page: 'last' }, sayType('page', 'integer')],
  ['/chat/findChats', { where: { remoteJid: ['x'] } }, sayType('where.remoteJid', 'string')],
  [
    '/chat/getBase64FromMediaMessage',
    { message: { key: {} }, convertToMp4: 'x' },
    sayType('convertToMp4', 'boolean'),
  ],
  ['/chat/updateProfileStatus', { status: { a: 1 } }, sayType('status', 'string')],
  ['/chat/updateProfilePicture', { picture: 'x' }, expect.stringMatching(/^picture must be /)],
  ['/group/create', { subject: 'a', participants: account }, sayType('participants', 'array')],
  [
    '/group/create',
    { subject: 'a'.repeat(101), participants: [account] },
    expect.stringMatching(/^subject must /),
  ],
  ['/group/sendInvite', { groupJid: '1@g.us', numbers: account }, sayType('numbers', 'array')],
  ['/group/toggleEphemeral', { groupJid: '1@g.us', expiration: [] }, sayType('expiration', 'integer')],
  ['/webhook/set', { webhook: { url: `http://${place}/x`, enabled: 'off' } }, sayType('enabled', 'boolean')],
  [
    '/webhook/set',
    { webhook: { url: `http://${place}/x`, events: 'SEND_MESSAGE' } },
    sayType('events', 'array'),
  ],
  [
    '/webhook/set',
    { webhook: { url: `http://${place}/x`, events: ['SEND_MESSAGE', 'MESSAGE_UPSERTS'] } },
    'instance.events must not name MESSAGE_UPSERTS: there is no such event',
  ],
  ['/webhook/set', { webhook: { url: `http://${place}/x`, headers: 'a: b' } }, sayType('headers', 'object')],
  ['/settings/set', { groupsIgnore: 'x' }, sayType('groupsIgnore', 'boolean')],
  ['/settings/set', { rejectCall: 'true' }, expect.stringContaining('rejectCall must be false')],
]

test.each(rest)('%s with %j is refused by the name of the field', async (path, body, words) => {
  const refused = await post(path, body)
  expect([refused.status, refused.body.response]).toEqual([400, { message: [[words]] }])
})

test('an instance is not created with a choice of a wrong type', async () => {
  const admin = callAs(adminKey)
  const url = `http://${place}/never`
  const wrong: [object, string][] = [
    [{ qrcode: 'x' }, sayType('qrcode', 'boolean')],
    [{ number: {} }, sayType('number', 'string')],
    [{ webhook: { url, byEvents: 'x' } }, sayType('byEvents', 'boolean')],
    [{ webhook: url, events: 'SEND_MESSAGE' }, sayType('events', 'array')],
  ]
  for (const [fields, words] of wrong) {
    const made = await admin.post('/instance/create', { instanceName: 'not made', ...fields })
    expect([made.status, made.body.response]).toEqual([400, { message: [[words]] }])
  }
  expect((await admin.get('/instance/fetchInstances?instanceName=not made')).status).toBe(404)
})
