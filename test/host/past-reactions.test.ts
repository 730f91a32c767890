// The reactions that stand with the messages of a history.

import { deflateSync } from 'node:zlib'
import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { KIND, startWorld } from './world.ts'

const ANNA = '5511340000001'
const BEN = '5511340000002'
const remoteJid = `${BEN}@s.whatsapp.net`

test('a message of a history has the reactions that the phone stored with it, and a later one replaces that of the same person', async () => {
  const world = await startWorld()
  onTestFinished(() => world.close())
  await world.createPhone(BEN, 'Ben')
  const message: proto.IWebMessageInfo = {
    key: { remoteJid, fromMe: false, id: 'LIKED' },
    message: { conversation: 'we are open' },
    messageTimestamp: 1_760_000_000,
    reactions: [
      { key: { remoteJid, fromMe: false, id: 'BY-BEN' }, text: '🌹' },
      { key: { remoteJid, fromMe: true, id: 'BY-US' }, text: '👍' },
      { key: { remoteJid, fromMe: false, id: 'REMOVED' }, text: '' },
    ],
  }
  const raw = deflateSync(
    proto.HistorySync.encode({
      syncType: proto.HistorySync.HistorySyncType.RECENT,
      conversations: [{ id: remoteJid, messages: [{ message }] }],
    }).finish(),
  )
  const history = [{ type: 'recent', progress: 100, raw: raw.toString('base64') }]
  await world.sim('POST', '/phones', { number: ANNA, history })
  const instance = crypto.randomUUID()
  const outcome = await world.edge.performAction(instance, 'session.connect', { ...KIND, history: 'recent' })
  if (outcome.kind !== 'done' || outcome.result.pairing?.method !== 'qr') throw new Error('no QR')
  await world.sim('POST', `/phones/${ANNA}/scan`, { qr: outcome.result.pairing.qr })

  const own = { sender: `${ANNA}@s.msgnet.net`, senderName: '', fromMe: true, text: '👍' }
  const findReactions = async () => {
    const query = { id: 'LIKED', limit: 1, offset: 0 }
    const found = await world.edge.performAction(instance, 'message.find', query)
    return found.kind === 'done' ? found.result.messages[0]?.content.reactions : undefined
  }
  expect(await until(findReactions)).toEqual([
    { sender: `${BEN}@s.msgnet.net`, senderName: '', fromMe: false, text: '🌹' },
    own,
  ])
  const [event] = await until(() => {
    const events = world.edge.listEvents(instance, 'history')
    return events.length > 0 ? events : undefined
  })
  expect(JSON.stringify(event)).toContain('"text":"🌹"')
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'so it is linked' })
  await until(() => world.edge.listEvents(instance, 'messages').length === 1)
  const reaction = { id: 'LIKED', messageid: '3EB0C0FFEE', number: BEN, text: '🎉' }
  expect(await world.edge.performAction(instance, 'message.react', reaction)).toMatchObject({ kind: 'done' })
  await until(async () => JSON.stringify(await findReactions()).includes('🎉'))
  expect(await findReactions()).toEqual([
    { sender: `${BEN}@s.msgnet.net`, senderName: '', fromMe: false, text: '🌹' },
    expect.objectContaining({ sender: own.sender, fromMe: true, text: '🎉' }),
  ])
})
