// The form of the Cloud API: a field of a wrong type is refused by its name there, and nothing is sent without it.

import { afterAll, expect, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'

const world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
afterAll(() => world.close())
const handle = `shop-${crypto.randomUUID()}`
const { body: made } = await world.admin.post('/instance/init', { name: 'Shop', handle })
const caller = createPlainCaller(world.run.baseUrl, { token: made.token })
await linkDevice(world, { id: made.instance.id, token: made.token, caller })
const graph = createPlainCaller(`${world.run.baseUrl}/graph`, { authorization: `Bearer ${made.token}` })
const to = await createPhone(world, 'Ana')
const send = (body: object) =>
  graph.post(`/${handle}/messages`, { messaging_product: 'whatsapp', to, ...body })

const sayType = (field: string, type: string) => `${field} must be of type ${type}.`
const contact = { name: { formatted_name: 'Ben' }, phones: [{ phone: '5511900000077' }] }
const withContact = (fields: object) => ({ type: 'contacts', contacts: [{ ...contact, ...fields }] })
const withButtons = (buttons: unknown) => ({
  type: 'interactive',
  interactive: { type: 'button', body: { text: 'Which?' }, action: { buttons } },
})
const place = { latitude: 1, longitude: 2 }

const wrong: [body: object, details: unknown][] = [
  [{ type: 'contacts', contacts: [null] }, sayType('contacts[0]', 'object')],
  [{ type: 'contacts', contacts: 'none' }, 'contacts is not valid JSON.'],
  [withContact({ name: null }), 'contacts.name.formatted_name is missing.'],
  [withContact({ phones: 'none' }), sayType('contacts[0].phones', 'array')],
  [withContact({ phones: [null] }), sayType('contacts[0].phones[0]', 'object')],
  [withContact({ phones: null }), expect.stringMatching(/^contacts.phones\S* must /)],
  [withContact({ phones: [{ phone: 'x' }] }), expect.stringMatching(/^contacts.phones\S* must /)],
  [withContact({ emails: 'a@b' }), sayType('contacts[0].emails', 'array')],
  [withContact({ urls: [5] }), sayType('contacts[0].urls[0]', 'object')],
  [withButtons('none'), sayType('interactive.action.buttons', 'array')],
  [withButtons([null]), sayType('interactive.action.buttons[0]', 'object')],
  [withButtons(null), expect.stringMatching(/^interactive.action must /)],
  [withButtons([{ reply: 'a' }]), sayType('interactive.action.buttons[0].reply', 'object')],
  [
    { type: 'interactive', interactive: { type: 'button', action: '{"buttons":[1]}' } },
    sayType('interactive.action.buttons[0]', 'object'),
  ],
  [
    { type: 'interactive', interactive: { type: 'list', header: 5, action: {} } },
    sayType('interactive.header', 'object'),
  ],
  [{ type: 'location', location: { ...place, latitude: null } }, 'location.latitude is missing.'],
  [{ type: 'location', location: { ...place, longitude: '' } }, 'location.longitude is missing.'],
  [{ type: 'location', location: { ...place, longitude: [2] } }, sayType('location.longitude', 'number')],
  [
    { type: 'location', location: { ...place, latitude: 91 } },
    expect.stringMatching(/^location.latitude must /),
  ],
  [{ text: { body: 'never' }, context: 'wamid.1' }, sayType('context', 'object')],
  [{ text: { body: 'never' }, context: {} }, 'context.message_id is missing.'],
  [{ text: { body: 'never' }, context: { message_id: true } }, sayType('context.message_id', 'string')],
  [{ text: { body: 'never', preview_url: 'x' } }, sayType('text.preview_url', 'boolean')],
  [{ text: { body: 'never' }, biz_opaque_callback_data: {} }, sayType('biz_opaque_callback_data', 'string')],
  [{ type: 'image', image: { link: 5 } }, expect.stringMatching(/^image.link must /)],
  [{ type: 'image', image: { link: 'x', caption: {} } }, sayType('image.caption', 'string')],
  [{ type: 'reaction', reaction: { message_id: 'wamid.1', emoji: {} } }, sayType('reaction.emoji', 'string')],
  [{ to: 'nobody', text: { body: 'never' } }, expect.stringMatching(/^to must be /)],
]

test.each(wrong)('%j is refused by the name of the field', async (body, details) => {
  const refused = await send(body)
  expect([refused.status, refused.body.error?.error_data]).toEqual([
    400,
    { messaging_product: 'whatsapp', details },
  ])
})

test('a message that is not there, or that the account wrote, is not marked as read', async () => {
  const sent = await send({ text: { body: 'own' } })
  for (const [message_id, code] of [
    ['wamid.3EB000', 100],
    [sent.body.messages[0].id, 131009],
  ]) {
    const refused = await send({ status: 'read', message_id })
    expect([message_id, refused.status, refused.body.error?.code]).toEqual([message_id, 400, code])
  }
})

test('what programs write for nothing is taken, numbers as texts too', async () => {
  const sent = await send({ text: { body: 'first', preview_url: 'false' }, context: null })
  expect(sent.status).toBe(200)
  const [{ id: message_id }] = sent.body.messages as Seen[]
  const right = [
    { text: { body: 'second' }, context: { message_id }, biz_opaque_callback_data: '' },
    { type: 'location', location: { latitude: '1.5', longitude: '-2', name: null, address: '' } },
    { ...withContact({}), contacts: JSON.stringify([contact]) },
  ]
  for (const body of right) expect([body, (await send(body)).status]).toEqual([body, 200])
})

test('a person is named by a number, or by an id as other programs of the network write it', async () => {
  for (const name of [to, `+${to}`, `${to}@s.whatsapp.net`, `${to}@c.us`, `${to}@s.msgnet.net`]) {
    const sent = await send({ to: name, text: { body: 'named' } })
    expect([sent.status, sent.body.contacts]).toEqual([200, [{ input: name, wa_id: to }]])
  }
})
