// Search in messages: words without case and accents, in one chat or all, newest first; edits and deletions are followed.

import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'

const { world, device, waitForEvent } = await borrowScene()

const search = async (words: string, wish: object = {}): Promise<Seen> =>
  (await device.caller.post('/message/find', { search: words, ...wish })).body
const findIds = async (words: string, wish?: object): Promise<string[]> =>
  (await search(words, wish)).messages.map(({ messageid }: Seen) => messageid)

async function receive(from: string, wish: object): Promise<string> {
  const { id } = await world.sim('POST', '/messages', { from, to: device.number, ...wish })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  return id as string
}
const send = async (number: string, text: string): Promise<string> =>
  (await device.caller.post('/send/text', { number, text })).body.messageid

test('words are found in texts, captions and file names, without case and accents, newest first', async () => {
  const anna = await createPhone(world, 'Anna')
  const bytes = Buffer.from('a picture').toString('base64')
  const first = await receive(anna, { text: 'O João já pagou a FATURA?' })
  const own = await send(anna, 'a fatura do joao vence hoje')
  const captioned = await receive(anna, { image: bytes, caption: 'Fatura do João' })
  const named = await receive(anna, { document: bytes, fileName: 'fatura-joão.pdf' })
  await receive(anna, { text: 'nada disso' })
  const found = await search('joao fatura')
  expect(found).toMatchObject({ returnedMessages: 4, hasMore: false, complete: true })
  expect(new Set(found.messages.map(({ messageid }: Seen) => messageid))).toEqual(
    new Set([named, captioned, own, first]),
  )
  expect(found.messages.at(-1).messageid).toBe(first)
  expect(await findIds('JOÃO', { fromMe: true })).toEqual([own])
  expect(await findIds('joao "pagou')).toEqual([first])
  expect(await findIds('joao fatura ausente')).toEqual([])
})

test('a search is in one chat or in all, and its pages end where the next begins', async () => {
  const [anna, bruno] = [await createPhone(world, 'Anna'), await createPhone(world, 'Bruno')]
  const ofAnna: string[] = []
  for (let n = 0; n < 5; n += 1) ofAnna.push(await receive(anna, { text: `pedido numero ${n}` }))
  const ofBruno = await receive(bruno, { text: 'outro pedido' })
  expect(await findIds('pedido')).toHaveLength(6)
  expect(await findIds('pedido', { chatid: bruno })).toEqual([ofBruno])
  const paged: string[] = []
  for (let beforeId: string | undefined; paged.length < 6; beforeId = paged.at(-1)) {
    const page = await search('pedido', { chatid: anna, limit: 2, ...(beforeId && { beforeId }) })
    paged.push(...page.messages.map(({ messageid }: Seen) => messageid))
    if (!page.hasMore) break
  }
  expect(paged.toSorted()).toEqual(ofAnna.toSorted())
  const second = (await search('pedido', { chatid: anna, limit: 2, offset: 2 })).messages
  expect(second.map(({ messageid }: Seen) => messageid)).toEqual(paged.slice(2, 4))
})

test('edits and deletions are followed', async () => {
  const anna = await createPhone(world, 'Anna')
  const id = await receive(anna, { text: 'encontro na quarta' })
  expect(await findIds('quarta')).toEqual([id])
  await world.sim('POST', `/messages/${id}/edit`, { by: anna, text: 'encontro na quinta' })
  await waitForEvent('messages_edit', ({ event }) => event.messageid === id)
  expect(await findIds('quarta')).toEqual([])
  expect(await findIds('quinta')).toEqual([id])
  await world.sim('POST', `/messages/${id}/revoke`, { by: anna })
  await waitForEvent('messages_update', ({ event }) => event.MessageIDs?.[0] === id)
  expect(await findIds('quinta')).toEqual([])
  const own = await send(anna, 'efemero')
  expect(await findIds('efemero')).toEqual([own])
  await device.caller.post('/chat/delete', { number: anna, deleteMessagesDB: true })
  expect(await findIds('efemero')).toEqual([])
  const next = await send(anna, 'depois')
  expect(await findIds('depois')).toEqual([next])
})

test('pages of a list without words go on after a message too', async () => {
  const anna = await createPhone(world, 'Anna')
  const ids: string[] = []
  for (let n = 0; n < 4; n += 1) ids.unshift(await receive(anna, { text: `n ${n}` }))
  const list = async (wish: object) =>
    (await device.caller.post('/message/find', { chatid: anna, ...wish })).body.messages.map(
      ({ messageid }: Seen) => messageid,
    )
  expect(await list({ beforeId: ids[1] })).toEqual(ids.slice(2))
  expect(await list({ beforeId: ids[2], sort: 'messageTimestamp' })).toEqual([ids[1], ids[0]])
})

test('pages of chats go on after a cursor, and no chat is left out when messages come meanwhile', async () => {
  const phones: string[] = []
  for (let n = 0; n < 5; n += 1) phones.unshift(await createPhone(world))
  for (const phone of phones.toReversed()) await receive(phone, { text: 'hello' })
  const list = async (wish: object) => (await device.caller.post('/chat/find', { limit: 2, ...wish })).body
  const first = await list({})
  await receive(phones[4] ?? '', { text: 'again' })
  const second = await list({ before: first.nextBefore })
  const seen = [...first.chats, ...second.chats].map(({ phone }: Seen) => phone.slice(1))
  expect(new Set(seen).size).toBe(4)
  expect((await list({ limit: 100, before: second.nextBefore })).nextBefore).toBeUndefined()
  expect((await list({ sort: 'name' })).nextBefore).toBeUndefined()
})
