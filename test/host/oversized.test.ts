// A message larger than any record: it is cut before it is committed, and everything else of it stays as it was.

import { decodeMessage } from '@msgnet/session-host/driver/baileys/messages/message-content.ts'
import type { NetworkMessage } from '@msgnet/session-host/driver/driver.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { startDriver } from './driver.ts'
import { encodeContactsMessage, encodeField } from './hostile.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const KIB = 1024
/** The numbers of two fields: an image in a message, and its preview. */
const IMAGE = 3
const THUMBNAIL = 16

test.each(['\u0001', '€'])(
  'the commit of a message with 10 MB of %j is no larger than a record, and the rest of the message is whole',
  async (character) => {
    const rows: { id: string; size: number }[] = []
    const world = await startDriver((store) => ({
      ...store,
      async write(instance, changes) {
        for (const { kind, id, value } of changes) {
          if (kind === 'received' && value) rows.push({ id, size: value.length })
        }
        await store.write(instance, changes)
      },
    }))
    await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
    const instance = await world.linkPhone(ANNA)
    const received: NetworkMessage[] = []
    const first = await world.connectInstance(instance, {
      // Like a process that dies before its commit.
      onMessages: (messages) => {
        received.push(...messages)
        return new Promise(() => undefined)
      },
    })
    await until(() => first.account)
    const caption = character.repeat(10_000_000 / Buffer.byteLength(character))
    const image = Buffer.from('a picture').toString('base64')
    const { id } = await world.sim<{ id: string }>('POST', '/messages', {
      from: BEN,
      to: ANNA,
      image,
      caption,
    })
    await until(() => received.length === 1)

    // Beside it there is the message in which the phone shares its keys.
    const stored = rows.filter((row) => row.id.includes(id))
    expect(stored).toHaveLength(1)
    expect(stored[0]?.size).toBeLessThan(KIB * KIB)
    const [message] = received
    expect(message).toMatchObject({ messageid: id, type: 'media', mediaType: 'image' })
    const text = message?.text ?? ''
    expect(caption.startsWith(text)).toBe(true)
    // A record is cut once more, and marked.
    expect(Buffer.byteLength(text)).toBeGreaterThan(256 * KIB)
    const { imageMessage } = decodeMessage(message?.encoded ?? new Uint8Array())
    expect(imageMessage).toMatchObject({
      mimetype: 'image/jpeg',
      directPath: expect.stringMatching(/^\/v\//),
    })
    expect(imageMessage?.mediaKey).toHaveLength(32)
    await first.connection.close()

    const again: NetworkMessage[] = []
    const second = await world.connectInstance(instance, {
      onMessages: async (all) => void again.push(...all),
    })
    await until(() => again.length === 1)
    expect(again).toEqual(received)
    await second.connection.close()
    await world.close()
  },
)

test.each([
  ['too many parts', () => encodeContactsMessage(500_000)],
  ['too many bytes', () => encodeField(IMAGE, encodeField(THUMBNAIL, Buffer.alloc(600 * KIB, 7)))],
])(
  'a message with %s is stored in a few bytes, and reported again by the next connection',
  async (_, make) => {
    const rows: number[] = []
    const world = await startDriver((store) => ({
      ...store,
      async write(instance, changes) {
        for (const { kind, value } of changes) if (kind === 'received' && value) rows.push(value.length)
        await store.write(instance, changes)
      },
    }))
    onTestFinished(() => world.close())
    await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
    const instance = await world.linkPhone(ANNA)
    const received: NetworkMessage[] = []
    const first = await world.connectInstance(instance, {
      // Like a process that dies before its commit.
      onMessages: (messages) => {
        received.push(...messages)
        return new Promise(() => undefined)
      },
    })
    await until(() => first.account)
    rows.length = 0
    const raw = make().toString('base64')
    const { id } = await world.sim<{ id: string }>('POST', '/messages', { from: BEN, to: ANNA, raw })
    await until(() => received.length === 1)
    expect(received).toMatchObject([{ messageid: id, type: 'other', text: '', content: {}, truncated: true }])
    expect(received[0]?.encoded.length).toBeLessThan(KIB)
    expect(Math.max(...rows)).toBeLessThan(2 * KIB)
    await first.connection.close()

    const again: NetworkMessage[] = []
    const second = await world.connectInstance(instance, {
      onMessages: async (all) => void again.push(...all),
    })
    await until(() => again.length === 1)
    expect(again).toEqual(received)
    await second.connection.close()
  },
)
