// Mentions and replies: sent to and received from groups that address their members by number and by LID.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { everyAction } from '../world.ts'

const { world, device, waitForMessage, waitForEvent } = await borrowScene(everyAction)

const FORMS = ['pn', 'lid'] as const
type Form = (typeof FORMS)[number]

const [ana, ben] = [await createPhone(world, 'Ana'), await createPhone(world, 'Ben')]
const jid = (number: string) => `${number}@s.msgnet.net`
const readLid = async (number: string): Promise<string> =>
  (await world.sim('GET', `/phones/${number}`)).lid as string
const [anaLid, ownLid] = [await readLid(ana), await readLid(device.number)]
const digits = (id: string) => id.split('@')[0] ?? ''

async function createGroup(addressing: Form): Promise<string> {
  const wish = { subject: addressing, owner: ana, participants: [ben, device.number], addressing }
  const { jid: group } = (await world.sim('POST', '/groups', wish)) as { jid: string }
  await until(async () => (await device.caller.post('/group/info', { groupjid: group })).status === 200)
  return group
}
const groups = { pn: await createGroup('pn'), lid: await createGroup('lid') }

/** As the group addresses Ana, on the wire. */
const onWire = (form: Form) => (form === 'lid' ? anaLid : `${ana}@s.whatsapp.net`)
/** In the words. */
const inWords = (form: Form) => `@${digits(onWire(form))}`

async function send(path: string, body: object): Promise<Seen> {
  const response = await device.caller.post(path, body)
  expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 })
  return response.body
}

const spell = (number: string) =>
  `+${number.slice(0, 2)} (${number.slice(2, 5)}) ${number.slice(5, 8)}-${number.slice(8)}`

test.each(
  FORMS.flatMap((form) => [
    { form, by: 'her number', id: ana, word: `@${ana}` },
    { form, by: 'her number as people write it', id: spell(ana), word: `@${spell(ana)}` },
    { form, by: 'her id', id: jid(ana), word: `@${ana}` },
    { form, by: 'her @lid', id: anaLid, word: `@${digits(anaLid)}` },
  ]),
)(
  'a mention by $by notifies a member of a group addressed by $form, and stands in the words',
  async ({ form, by, id, word }) => {
    const text = `${word}, ${by} 12 ${ben}`
    const sent = await send('/send/text', { number: groups[form], text, mentions: [id] })
    const words = `${inWords(form)}, ${by} 12 ${ben}`
    expect(sent).toMatchObject({ text: words, mentions: [{ jid: jid(ana), lid: anaLid }], mentionsMe: false })
    const seen = await waitForMessage(ana, (one) => one.id === sent.messageid)
    expect(seen).toMatchObject({ text: words, mentions: [onWire(form)], mentioned: true })
    const other = await waitForMessage(ben, (one) => one.id === sent.messageid)
    expect(other).not.toHaveProperty('mentioned')
  },
)

const jpeg =
  '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAARCAABAAEBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APn+iiiigD//2Q=='

test.each(FORMS)('every kind with words mentions members of a group addressed by %s', async (form) => {
  const number = groups[form]
  const said = `@${ana} and all`
  const words = `${inWords(form)} and all`
  const asked = await send('/send/text', { number, text: 'asked' })
  const kinds: [string, object][] = [
    ['/send/text', { text: said, replyid: asked.messageid }],
    ['/send/media', { type: 'image', file: jpeg, text: said }],
    ['/send/menu', { type: 'poll', text: said, choices: ['yes', 'no'] }],
    ['/send/menu', { type: 'button', text: said, choices: ['yes|yes'] }],
  ]
  for (const [path, body] of kinds) {
    const sent = await send(path, { number, ...body, mentions: ana })
    expect(sent.text).toContain(words)
    const seen = await waitForMessage(ana, (one) => one.id === sent.messageid)
    expect(seen, path).toMatchObject({ mentions: [onWire(form)], mentioned: true })
    expect(seen.caption ?? seen.text).toContain(words)
  }
  const place = await send('/send/location', { number, latitude: 1, longitude: 2, mentions: ana })
  const seen = await waitForMessage(ana, (one) => one.id === place.messageid)
  expect(seen).toMatchObject({ mentioned: true })
})

test.each(FORMS)('an edit keeps the mentions of a message to a group addressed by %s', async (form) => {
  const number = groups[form]
  const sent = await send('/send/text', { number, text: `@${ana} at nine`, mentions: ana })
  await send('/message/edit', { id: sent.messageid, text: `@${ana} at ten` })
  const edit = await waitForMessage(ana, (one) => one.type === 'edit' && one.target === sent.messageid)
  expect(edit.text).toBe(`${inWords(form)} at ten`)
  const found = await until(async () => {
    const { body } = await device.caller.post('/message/find', { id: sent.messageid })
    return body.messages[0]?.edited && body.messages[0]
  })
  expect(found).toMatchObject({ text: `${inWords(form)} at ten`, mentions: [{ jid: jid(ana), lid: anaLid }] })
})

test.each(FORMS)(
  '`all` is the flag of the network in a group addressed by %s, with `@all` in the words',
  async (form) => {
    const number = groups[form]
    for (const [text, words] of [
      ['come in', 'come in @all'],
      ['@All come in', '@All come in'],
      ['@allow it', '@allow it @all'],
    ] as const) {
      const sent = await send('/send/text', { number, text, mentions: 'all' })
      expect(sent).toMatchObject({ text: words, mentions: [] })
      const seen = await waitForMessage(ben, (one) => one.id === sent.messageid)
      expect(seen).toMatchObject({ text: words, mentionsAll: true, mentioned: true })
      expect(seen).not.toHaveProperty('mentions')
    }
    const both = await send('/send/text', { number, text: `@${ana}`, mentions: ['all', ana] })
    const seen = await waitForMessage(ana, (one) => one.id === both.messageid)
    expect(seen).toMatchObject({ mentionsAll: true, mentions: [onWire(form)], text: `${inWords(form)} @all` })
    const image = await send('/send/media', { number, type: 'image', file: jpeg, mentions: 'all' })
    expect(await waitForMessage(ben, (one) => one.id === image.messageid)).toMatchObject({ caption: '@all' })
  },
)

/** Written by a phone; the event of it. */
async function receive(from: string, to: string, body: object): Promise<Seen> {
  const { id } = (await world.sim('POST', '/messages', { from, to, ...body })) as { id: string }
  return (await waitForEvent('messages', ({ message }) => message.messageid === id)).message
}

test.each(FORMS)(
  'a mention in a group addressed by %s names people with all that is known of them',
  async (form) => {
    await receive(ana, device.number, { text: 'my name comes with this' })
    const own = form === 'lid' ? digits(ownLid) : device.number
    const message = await receive(ben, groups[form], {
      text: `@${device.number} ask @${ana}`,
      mentions: [device.number, ana],
    })
    expect(message).toMatchObject({
      text: `@${own} ask ${inWords(form)}`,
      mentions: [
        { jid: jid(device.number), lid: ownLid },
        { jid: jid(ana), lid: anaLid, name: 'Ana' },
      ],
      mentionsMe: true,
      repliesToMe: false,
      quotedSender: '',
    })
    const other = await receive(ben, groups[form], { text: `@${ana}`, mentions: [ana] })
    expect(other).toMatchObject({ mentionsMe: false })
  },
)

test.each(FORMS)('`@all` in a group addressed by %s mentions the account', async (form) => {
  const message = await receive(ben, groups[form], { text: '@all', mentions: 'all' })
  expect(message).toMatchObject({ mentions: [], mentionsMe: true, repliesToMe: false })
})

test.each(FORMS)('a reply in a group addressed by %s names the author that it replies to', async (form) => {
  const ours = await send('/send/text', { number: groups[form], text: 'ours' })
  await waitForMessage(ben, (one) => one.id === ours.messageid)
  const answer = await receive(ben, groups[form], { text: 'to you', quoted: ours.messageid })
  expect(answer).toMatchObject({
    quoted: ours.messageid,
    quotedSender: jid(device.number),
    repliesToMe: true,
    mentionsMe: false,
  })
  const theirs = await receive(ana, groups[form], { text: 'theirs' })
  const other = await receive(ben, groups[form], { text: 'to her', quoted: theirs.messageid })
  expect(other).toMatchObject({ quotedSender: jid(ana), repliesToMe: false })
  const sent = await send('/send/text', { number: groups[form], text: 'we too', replyid: theirs.messageid })
  expect(sent).toMatchObject({ quoted: theirs.messageid, quotedSender: jid(ana), repliesToMe: false })
})

test('a reply in a chat of two names the author that it replies to', async () => {
  const ours = await send('/send/text', { number: ana, text: 'to ana' })
  await waitForMessage(ana, (one) => one.id === ours.messageid)
  for (const addressing of FORMS) {
    const answer = await receive(ana, device.number, { text: 'yes', quoted: ours.messageid, addressing })
    expect(answer).toMatchObject({ quotedSender: jid(device.number), repliesToMe: true })
    const more = await receive(ana, device.number, { text: 'and', quoted: answer.messageid, addressing })
    expect(more).toMatchObject({ quotedSender: jid(ana), repliesToMe: false })
  }
})

test('a stranger to the group is mentioned as the group addresses people', async () => {
  const stranger = await createPhone(world)
  const lid = await readLid(stranger)
  const text = `ask @${stranger}`
  const sent = await send('/send/text', { number: groups.lid, text, mentions: stranger })
  expect(sent).toMatchObject({ text: `ask @${digits(lid)}`, mentions: [{ jid: jid(stranger), lid }] })
  const seen = await waitForMessage(ana, (one) => one.id === sent.messageid)
  expect(seen).toMatchObject({ mentions: [lid] })
})
