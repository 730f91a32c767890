// Numbers of Brazil, Mexico and Argentina: an account is found although it is registered under the other form.

import { findOtherForm } from '@msgnet/shared/number-spellings.ts'
import { expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createDevice, createNumber, linkDevice } from '../device.ts'
import { toPersonJid } from './endings/row.ts'

const world = await borrowForFile()
const device = await linkDevice(world, await createDevice(world))

/** Eight digits that no other test has. */
const createLine = () => createNumber().slice(-8)
const registerPhone = async (number: string) => {
  await world.sim('POST', '/phones', { number, name: 'Elsewhere' })
  return number
}
const countLookUps = async () => {
  const { entries } = await world.sim('GET', `/log?number=${device.number}`)
  return (entries as { xmlns?: string }[]).filter(({ xmlns }) => xmlns === 'usync').length
}

test.each([
  ['551187654321', '5511987654321'],
  ['525512345678', '5215512345678'],
  ['541123456789', '5491123456789'],
])('%s and %s are two forms of one line', (short, long) => {
  expect(findOtherForm(toPersonJid(short))).toBe(toPersonJid(long))
  expect(findOtherForm(toPersonJid(long))).toBe(toPersonJid(short))
})

test.each(['551132654321', '5511937654321', '351912345678', '5511987654321@lid', '120363000000000000@g.us'])(
  '%s has no other form',
  (number) => {
    expect(findOtherForm(number.includes('@') ? number : toPersonJid(number))).toBeUndefined()
  },
)

test('a message to a number with the ninth digit reaches the account without it, and the record says so', async () => {
  const line = `8${createLine().slice(1)}`
  const registered = await registerPhone(`5511${line}`)
  const given = `55119${line}`
  const key = { 'idempotency-key': `form-${line}` }
  const sent = await device.caller.post('/send/text', { number: given, text: 'found' }, key)
  expect([sent.status, sent.body.chatid]).toEqual([200, toPersonJid(registered)])
  const again = await device.caller.post('/send/text', { number: given, text: 'found' }, key)
  expect(again.body.messageid).toBe(sent.body.messageid)
  const { messages } = await world.sim('GET', `/phones/${registered}/inbox`)
  expect((messages as { text: string }[]).map(({ text }) => text)).toEqual(['found'])

  // Under either form it is the same chat, and the network is not asked for this number again.
  const lookUps = await countLookUps()
  const next = await device.caller.post('/send/text', { number: given, text: 'known now' })
  expect([next.status, next.body.chatid]).toEqual([200, toPersonJid(registered)])
  expect(await countLookUps()).toBe(lookUps)
  const { body } = await device.caller.post('/message/find', { chatid: registered })
  expect(body.messages.map(({ text }: { text: string }) => text)).toEqual(['known now', 'found'])
})

test('one request checks both forms, and the answer names the one that is registered', async () => {
  const [line, both] = [createLine(), createLine()]
  const mexican = await registerPhone(`52155${line}`)
  const argentine = await registerPhone(`5411${line}`)
  for (const number of [`54911${both}`, `5411${both}`]) await registerPhone(number)
  const before = await countLookUps()
  const numbers = [`5255${line}`, `54911${line}`, `5411${both}`, '551187654329']
  const { body } = await device.caller.post('/chat/check', { numbers })
  expect(body.map(({ query, jid, isInMsgnet }: Record<string, unknown>) => [query, jid, isInMsgnet])).toEqual(
    [
      [numbers[0], toPersonJid(mexican), true],
      [numbers[1], toPersonJid(argentine), true],
      [numbers[2], toPersonJid(`5411${both}`), true],
      [numbers[3], toPersonJid('551187654329'), false],
    ],
  )
  expect(await countLookUps()).toBe(before + 1)
})

test('a number that the network knows under neither form is refused', async () => {
  const response = await device.caller.post('/send/text', { number: '5511987654329', text: 'nobody' })
  expect([response.status, response.body.error]).toEqual([422, 'not_on_network'])
})

test('the id of a group is taken with the blanks and direction marks that are pasted with it, wherever it is named', async () => {
  const participants = [await registerPhone(createNumber())]
  const created = await device.caller.post('/group/create', { name: 'Pasted', participants })
  const jid: string = created.body.JID
  for (const groupjid of [` ${jid}`, `${jid}\n`, `\u202a${jid}\u202c`]) {
    const info = await device.caller.post('/group/info', { groupjid, force: true })
    expect([info.status, info.body.JID]).toEqual([200, jid])
    const renamed = await device.caller.post('/group/updateName', { groupjid, name: 'Pasted again' })
    expect(renamed.status).toBe(200)
  }
  const other = await device.caller.post('/group/info', { groupjid: `1 ${jid}` })
  expect([other.status, other.body.error]).toEqual([400, 'invalid_group'])
})
