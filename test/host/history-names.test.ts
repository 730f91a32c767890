// What is read from a chunk of history, in whatever pieces it comes, and what becomes of the names in it.

import { readHistoryRecords } from '@msgnet/session-host/driver/baileys/history/chunk-records.ts'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld } from './world.ts'

const BEN = '5511340000032'
const CARL = '5511340000033'
const NOW = Math.floor(Date.now() / 1000)

test('a new chat has the name that the phone has for the person', async () => {
  const host = await startWorld()
  for (const number of [BEN, CARL]) await host.createPhone(number)
  const chats = [{ with: BEN, addressing: 'lid', name: 'Ben of the phone' }]
  const pushNames = [{ number: CARL, name: 'Carl himself' }]
  const instance = await host.linkPhone('5511340000029', [
    { type: 'bootstrap', inline: true, chats },
    { type: 'push_name', inline: true, pushNames },
  ])
  const sendText = (number: string) =>
    host.edge.performAction(instance, 'message.sendText', createTextInput(`${number}@s.msgnet.net`, 'hello'))
  const findNames = async () => {
    const found = await host.edge.performAction(instance, 'chat.find', {
      limit: 10,
      offset: 0,
      search: '',
      sort: 'wa_lastMsgTimestamp',
      unread: false,
      operator: 'AND',
    })
    if (found.kind !== 'done') throw new Error(`no chats but ${JSON.stringify(found)}`)
    return found.result.chats.map(({ name }) => name)
  }
  for (const number of [BEN, CARL]) expect(await sendText(number)).toMatchObject({ kind: 'done' })
  await until(async () => expect(await findNames()).toEqual(['Ben of the phone', 'Carl himself']) ?? true)
  // It is called what the person says when the person writes.
  await host.sim('POST', '/phones', { number: BEN, name: 'Benedict' })
  await host.sim('POST', '/messages', { from: BEN, to: '5511340000029', text: 'hello' })
  await until(async () => (await findNames()).includes('Benedict'))
  await host.close()
})

test('a chunk is read the same however it is split', async () => {
  const bytes = proto.HistorySync.encode({
    syncType: proto.HistorySync.HistorySyncType.RECENT,
    conversations: [
      {
        id: `${BEN}@s.whatsapp.net`,
        messages: [{ message: { key: { id: 'A' }, message: { conversation: 'x'.repeat(500) } } }],
        name: 'Ben',
        tcToken: Buffer.from('token'),
        tcTokenTimestamp: NOW,
        lidJid: '22@lid',
      },
    ],
    pushnames: [{ id: '22@lid', pushname: 'Ben himself' }],
    phoneNumberToLidMappings: [{ pnJid: `${BEN}@s.whatsapp.net`, lidJid: '22@lid' }],
  }).finish()
  async function* splitHistory(size: number) {
    for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size))
  }
  const whole = await readHistoryRecords(splitHistory(bytes.length))
  expect(whole).toMatchObject([
    { kind: 'chat', id: `${BEN}@s.whatsapp.net`, name: 'Ben', lid: '22@lid', tokenAt: NOW },
    { kind: 'push_name', id: '22@lid', name: 'Ben himself' },
    { kind: 'pair', pn: `${BEN}@s.whatsapp.net`, lid: '22@lid' },
  ])
  for (const size of [1, 7, 64]) expect(await readHistoryRecords(splitHistory(size))).toEqual(whole)
})
