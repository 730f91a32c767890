// The sealed messages of a past: edits, comments and reactions, wherever the message is that they are about.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { findMessages, linkWithHistory, listPast, waitForHistory } from './history-stage.ts'
import { startWorld, type World } from './world.ts'

const BEN = '5511340000042'
let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
})
afterAll(() => world.close())

let count = 0
/** Without a past of its own: each test sends one. */
async function createPhone(): Promise<string> {
  count += 1
  const number = `551134000020${count}`
  await world.sim('POST', '/phones', { number, history: [] })
  return number
}

async function linkPhone() {
  const number = await createPhone()
  return { number, instance: await linkWithHistory(world, number, 'recent') }
}

test('sealed edits of a history are opened, with their message or in the chunk before it', async () => {
  const { number, instance } = await linkPhone()
  const writeEdited = async (text: string) => {
    const away = `55113400003${text.length}`
    await world.sim('POST', '/phones', { number: away })
    const { id } = await world.sim('POST', '/messages', { from: BEN, to: away, text })
    const edits: unknown[] = []
    for (const words of [`${text}, once`, `${text}, twice`])
      edits.unshift((await world.sim('POST', `/messages/${id}/edit`, { by: BEN, text: words })).id)
    return { id: String(id), edits }
  }
  const [one, other] = [await writeEdited('in one chunk'), await writeEdited('in the chunk after it')]
  const send = (written: unknown[], progress: number) =>
    world.sim('POST', `/phones/${number}/history`, {
      type: 'recent',
      progress,
      chats: [{ with: BEN, written }],
    })
  await send([...one.edits, one.id, ...other.edits], 50)
  await send([other.id], 100)
  await waitForHistory(world, instance, 'complete')
  const find = async (id: string) => (await findMessages(world, instance, { id }))[0]
  expect(await find(one.id)).toMatchObject({ text: 'in one chunk, twice', edited: one.id })
  expect(listPast(world, instance).find(({ messageid }) => messageid === one.id)?.text).toBe(
    'in one chunk, twice',
  )
  await until(async () => (await find(other.id))?.text === 'in the chunk after it, twice')
  const told = world.edge
    .listEvents(instance, 'messages_edit')
    .map(({ payload }) => (payload as { event: { text: string } }).event.text)
  expect(told).toEqual(['in the chunk after it, once', 'in the chunk after it, twice'])
  expect(await findMessages(world, instance, {})).toHaveLength(2)
})

test('sealed comments and reactions of a history come as those that arrive, with their message or in the chunk before it', async () => {
  const { number, instance } = await linkPhone()
  const away = '5511340000391'
  await world.sim('POST', '/phones', { number: away })
  const writeAnswered = async (text: string) => {
    const { id } = await world.sim('POST', '/messages', { from: BEN, to: away, text })
    const answer = async (path: string, body: object) =>
      String((await world.sim('POST', `/messages/${id}/${path}`, { by: BEN, form: 'sealed', ...body })).id)
    const comment = await answer('comment', { text: `on ${text}` })
    return { id: String(id), comment, reaction: await answer('react', { text: '🌹' }) }
  }
  const [one, other] = [await writeAnswered('one chunk'), await writeAnswered('the chunk after it')]
  const send = (written: string[], progress: number) =>
    world.sim('POST', `/phones/${number}/history`, {
      type: 'recent',
      progress,
      chats: [{ with: BEN, written }],
    })
  await send([one.reaction, one.comment, one.id, other.reaction, other.comment], 50)
  await until(() => listPast(world, instance).length === 3)
  await send([other.id], 100)
  await waitForHistory(world, instance, 'complete')
  await until(() => listPast(world, instance).length === 6)
  for (const [{ id, comment, reaction }, text] of [
    [one, 'on one chunk'],
    [other, 'on the chunk after it'],
  ] as const) {
    const sender = `${BEN}@s.msgnet.net`
    const commented = { type: 'text', text, quoted: id, content: { target: id }, source: 'history' }
    const reacted = { type: 'reaction', text: '🌹', reaction: id, source: 'history' }
    const findPast = (messageid: string) =>
      listPast(world, instance).find((past) => past.messageid === messageid)
    for (const find of [
      findPast,
      async (messageid: string) => (await findMessages(world, instance, { id: messageid }))[0],
    ]) {
      expect(await find(comment)).toMatchObject(commented)
      expect(await find(reaction)).toMatchObject(reacted)
    }
    const [message] = await findMessages(world, instance, { id })
    expect(message).toMatchObject({ content: { reactions: [{ sender, text: '🌹' }] } })
  }
  expect(world.edge.listEvents(instance, 'messages')).toEqual([])
})

test('a sealed comment and reaction of a history whose message comes by itself afterwards are reported with it', async () => {
  const number = await createPhone()
  const wish = { from: BEN, to: number, text: 'it comes late', held: true }
  const id = String((await world.sim('POST', '/messages', wish)).id)
  const answer = async (path: string, text: string) =>
    String((await world.sim('POST', `/messages/${id}/${path}`, { by: BEN, form: 'sealed', text })).id)
  const [comment, reaction] = [await answer('comment', 'so it does'), await answer('react', '🌹')]
  const instance = await linkWithHistory(world, number, 'recent')
  await world.sim('POST', `/phones/${number}/history`, {
    type: 'recent',
    progress: 100,
    chats: [{ with: BEN, written: [reaction, comment] }],
  })
  await waitForHistory(world, instance, 'complete')
  expect(world.edge.listEvents(instance, 'messages')).toEqual([])
  await world.sim('POST', `/messages/${id}/deliver`)
  await until(() => world.edge.listEvents(instance, 'messages').length === 3)
  const told = world.edge
    .listEvents(instance, 'messages')
    .map(({ payload }) => (payload as { message: object }).message)
  expect(told).toMatchObject([
    { messageid: id, text: 'it comes late' },
    { messageid: comment, type: 'text', text: 'so it does', quoted: id, source: 'history' },
    { messageid: reaction, type: 'reaction', text: '🌹', reaction: id, source: 'history' },
  ])
  expect(listPast(world, instance)).toEqual([])
  const [message] = await findMessages(world, instance, { id })
  expect(message?.content.reactions).toMatchObject([{ sender: `${BEN}@s.msgnet.net`, text: '🌹' }])
})
