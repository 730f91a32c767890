// Menus through the whole gateway: those of others as records, and what people choose in them.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { everyAction } from '../world.ts'

const { world, device, waitForEvent, waitForMessage, causeFault } = await borrowScene(everyAction)

const choices = [
  { id: 'morning', text: 'Morning' },
  { id: 'evening', text: 'Evening', description: 'After 6' },
]
const forms = ['buttons', 'list', 'template', 'interactive', 'carousel'] as const

const sendFromPhone = async (from: string, body: object) =>
  (await world.sim('POST', '/messages', { from, to: device.number, ...body })).id as string
const waitForRecord = async (id: string) =>
  (await waitForEvent('messages', ({ message }) => message.messageid === id)).message

test.each(forms)('a received menu (%s) says its words and its choices', async (form) => {
  const shop = await createPhone(world, 'Shop of another')
  const menu = { form, text: 'When shall we come?', footer: 'Free of charge', choices }
  const record = await waitForRecord(await sendFromPhone(shop, { menu }))
  expect(record).toMatchObject({ type: 'menu', text: 'When shall we come?\nFree of charge', fromMe: false })
  expect(record.content.choices).toMatchObject(choices.map(({ id, text }) => ({ id, text })))
})

test('a received product says its name, its price and its words', async () => {
  const shop = await createPhone(world, 'Shop of another')
  const menu = { form: 'product', title: 'Lamp', text: 'Of brass', choices: [{ id: 'p7', text: 'Lamp' }] }
  const record = await waitForRecord(await sendFromPhone(shop, { menu }))
  expect(record).toMatchObject({
    type: 'menu',
    messageType: 'productMessage',
    text: 'Lamp\nOf brass\nBRL 12.50',
    content: { title: 'Lamp', choices: [{ id: 'p7', text: 'Lamp' }] },
  })
})

test.each(forms)('a tap on a menu (%s) names what was chosen', async (form) => {
  const owner = device.number
  const shop = await createPhone(world, 'Shop')
  const asked = await sendFromPhone(shop, { menu: { form, text: 'When?', choices } })
  await waitForRecord(asked)
  // The owner's own phone taps: linked devices are sent the answer.
  const { id } = await world.sim('POST', `/messages/${asked}/tap`, { by: owner, choice: 'evening' })
  expect(await waitForRecord(String(id))).toMatchObject({
    type: 'text',
    text: 'Evening',
    vote: 'Evening',
    buttonOrListid: 'evening',
    quoted: asked,
    fromMe: true,
    content: { selectedID: 'evening', selectedDisplayText: 'Evening' },
  })
})

test('a message that follows an advertisement names it', async () => {
  const anna = await createPhone(world, 'Anna')
  const advertisement = { title: 'Lamps', sourceUrl: 'https://ads.example/7', ctwaClid: 'click-7' }
  const record = await waitForRecord(await sendFromPhone(anna, { text: 'I saw your lamps', advertisement }))
  expect(record.content.contextInfo.externalAdReply).toEqual({
    title: 'Lamps',
    sourceURL: 'https://ads.example/7',
    ctwaClid: 'click-7',
  })
})

const sendMenu = (number: string, menu: object) => device.caller.post('/send/menu', { number, ...menu })
const tap = async (id: string, by: string, choice: string) =>
  String((await world.sim('POST', `/messages/${id}/tap`, { by, choice })).id)
const buttons = { type: 'button', text: 'When?', choices: ['Today|today', 'Tomorrow|tomorrow'] }

const sendable = [
  [
    'button',
    {
      text: 'How can we help?',
      footerText: 'Until six',
      choices: [
        'Support|help',
        'Order',
        'Site|https://shop.example',
        'Code|copy:X7',
        'Call|call:+551130000000',
      ],
    },
    'How can we help?\n\n1. Support\n2. Order\nSite: https://shop.example\nCode: X7\nCall: +551130000000\nUntil six',
    'help',
  ],
  [
    'list',
    {
      text: 'Which lamp?',
      listButton: 'Lamps',
      choices: ['[Brass]', 'Small|b1|30 cm', 'Large|b2', '[Glass]', 'Blue|g1'],
    },
    'Which lamp?\n\nBrass\n1. Small (30 cm)\n2. Large\nGlass\n3. Blue',
    'g1',
  ],
  [
    'carousel',
    { text: 'Our lamps', choices: ['[Brass\nFor halls]', 'Take it|brass', '[Glass]', 'Take it|glass'] },
    'Our lamps\n\nBrass\nFor halls\n1. Take it\n\nGlass\n2. Take it',
    'glass',
  ],
] as const

test.each(sendable)(
  'a menu (%s) is shown with its text form, and a tap on it names the choice',
  async (type, menu, words, id) => {
    const anna = await createPhone(world, 'Anna')
    const { status, body } = await sendMenu(anna, { type, ...menu, track_id: 'm7' })
    expect([status, body.text]).toEqual([200, words])
    expect(body).toMatchObject({
      type: 'menu',
      track_id: 'm7',
      content: { shown: 'unknown' },
    })
    const shown = await waitForMessage(anna, (message) => message.id === body.messageid)
    expect(shown).toMatchObject({ type: 'menu', text: words })
    const answer = await waitForRecord(await tap(body.messageid, anna, id))
    expect(answer).toMatchObject({ buttonOrListid: id, quoted: body.messageid, fromMe: false })
    expect(
      (await device.caller.post('/message/find', { id: body.messageid })).body.messages[0],
    ).toMatchObject({
      text: words,
      content: { shown: 'unknown' },
    })
  },
)

test('a number is the same answer as a tap while the menu is the newest message of ours', async () => {
  const anna = await createPhone(world, 'Anna')
  const { messageid } = (await sendMenu(anna, buttons)).body
  const answer = await waitForRecord(await sendFromPhone(anna, { text: '2' }))
  expect(answer).toMatchObject({
    text: '2',
    buttonOrListid: 'tomorrow',
    vote: 'Tomorrow',
    content: { menuid: messageid },
  })
  expect(await waitForRecord(await sendFromPhone(anna, { text: '3' }))).toMatchObject({ buttonOrListid: '' })
  await device.caller.post('/send/text', { number: anna, text: 'How many?' })
  expect(await waitForRecord(await sendFromPhone(anna, { text: '2' }))).toMatchObject({ buttonOrListid: '' })
  const quoting = await waitForRecord(await sendFromPhone(anna, { text: '1', quoted: messageid }))
  expect(quoting).toMatchObject({ buttonOrListid: 'today', quoted: messageid })
})

test('in a group a number answers only the menu that it quotes', async () => {
  const anna = await createPhone(world, 'Anna')
  const { JID } = (await device.caller.post('/group/create', { name: 'Trip', participants: [anna] })).body
  const { messageid } = (await sendMenu(JID, buttons)).body
  await waitForMessage(anna, ({ id }) => id === messageid)
  const inGroup = async (body: object) =>
    waitForRecord(String((await world.sim('POST', '/messages', { from: anna, to: JID, ...body })).id))
  expect(await inGroup({ text: '1' })).toMatchObject({ buttonOrListid: '' })
  expect(await inGroup({ text: '1', quoted: messageid })).toMatchObject({ buttonOrListid: 'today' })
  expect(await waitForRecord(await tap(messageid, anna, 'tomorrow'))).toMatchObject({
    buttonOrListid: 'tomorrow',
  })
})

test('a menu has its effect once under one key, and without a waiting caller its outcome is an event', async () => {
  const anna = await createPhone(world, 'Anna')
  const key = { 'idempotency-key': crypto.randomUUID() }
  const send = () => device.caller.post('/send/menu', { number: anna, ...buttons, async: true }, key)
  const [first, again] = [await send(), await send()]
  expect(first.body).toMatchObject({ status: 'Pending', type: 'menu' })
  expect(again.body.messageid).toBe(first.body.messageid)
  await waitForEvent(
    'messages_update',
    ({ event }) => event.Type === 'sent' && event.MessageIDs.includes(first.body.messageid),
  )
  await waitForMessage(anna, ({ id }) => id === first.body.messageid)
  const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
  expect(messages).toHaveLength(1)
})

test('a menu that the network refuses is refused with its code, and one without an answer is unknown', async () => {
  const anna = await createPhone(world, 'Anna', { autoReceipt: false })
  await causeFault('ack_error', { code: 479, count: 1 })
  const refused = await sendMenu(anna, buttons)
  expect([refused.status, refused.body.error, refused.body.provider_code]).toEqual([
    422,
    'operation_refused',
    479,
  ])
  await causeFault('lost_ack', { count: 1 })
  const unknown = await device.caller.post('/send/menu', { number: anna, ...buttons }, { prefer: 'wait=1' })
  expect([unknown.status, unknown.body.error]).toEqual([504, 'outcome_unknown'])
  await waitForMessage(anna, ({ id }) => id === unknown.body.messageid)
})
