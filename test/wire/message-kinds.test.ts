// Every kind of message that the network has gives a record with words and content, and none comes empty.

import {
  findProtocolName,
  readContent,
} from '@msgnet/session-host/driver/baileys/messages/message-content.ts'
import { readResent } from '@msgnet/session-host/driver/baileys/messages/resent-messages.ts'
import { applyPatches } from '@msgnet/session-host/driver/baileys/patches/apply-patches.ts'
import { proto } from 'baileys'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeField, encodeNestedMessage } from '../host/hostile.ts'
import { kindSamples } from '../kind-samples.ts'
import { hello, newerKinds, receiveField, receiveSample } from './received-kinds.ts'

beforeAll(() => applyPatches())

/** The fields of a message that the installed library knows: it decodes each by its number. */
function listLibraryFields(): string[] {
  const names: string[] = []
  for (let number = 1; number < 512; number += 1) {
    const decoded = proto.Message.decode(encodeField(number, ''))
    names.push(...Object.keys(decoded))
  }
  return names
}

test('each field of a message that the library knows has a sample here', () => {
  const fields = listLibraryFields()
  expect(fields.length).toBeGreaterThan(90)
  expect(fields.filter((name) => !Object.hasOwn(kindSamples, name))).toEqual([])
})

describe('each kind of message', () => {
  test.each(Object.entries(kindSamples))('%s is read as what it says', (name, sample) => {
    const message = receiveSample(name, sample)
    const content = readContent(message)
    if (!sample.record) {
      expect(content).toBeUndefined()
      expect(findProtocolName(message)).not.toBe('')
      return
    }
    const { content: details, ...said } = sample.record
    expect(content).toMatchObject({ messageType: name, ...said })
    expect(content?.content).toEqual(details)
    expect(findProtocolName(message)).toBe('')
  })
})

describe('a kind that is newer than the library', () => {
  test.each(newerKinds)('%i, %s, is read as what it says', (number, _, part, said) => {
    expect(readContent(receiveField(number, part))).toMatchObject(said)
  })

  test.each([123, 127, 130])('%i is of the protocol', (number) => {
    expect(readContent(receiveField(number, 'x'))).toBeUndefined()
    expect(findProtocolName(receiveField(number, 'x'))).not.toBe('')
  })

  test('a wrapper is named, and what is in it is read again from the stored message', () => {
    const message = receiveField(118, hello)
    const wrapped = proto.Message.decode(proto.Message.encode({ ephemeralMessage: { message } }).finish())
    for (const one of [message, wrapped])
      expect(readContent(one)?.content).toEqual({ text: 'Hello', wrapper: 'spoilerMessage' })
  })

  test('a field that nobody knows gives a record with its number and bytes, and keeps them', () => {
    const message = receiveField(300, 'from next year')
    const said = {
      messageType: 'field300',
      type: 'unsupported',
      text: '',
      content: { field: 300, name: '', bytes: Buffer.from('from next year').toString('base64') },
    }
    expect(readContent(message)).toMatchObject(said)
    expect(readContent(proto.Message.decode(proto.Message.encode(message).finish()))).toMatchObject(said)
  })

  test('a kind whose words are sealed for later is unsupported, by its name', () => {
    expect(readContent(receiveField(120, encodeField(1, 'sealed')))).toMatchObject({
      messageType: 'conditionalRevealMessage',
      type: 'unsupported',
      content: { field: 120, name: 'conditionalRevealMessage' },
    })
  })
})

describe('what a sender may make of it', () => {
  test('of a long field that nobody knows 16 KiB are in the record', () => {
    const content = readContent(receiveField(300, Buffer.alloc(40_000, 1)))
    expect(content).toMatchObject({ type: 'unsupported', truncated: true })
    expect(Buffer.from(String(content?.content.bytes), 'base64')).toHaveLength(16 * 1024)
  })

  test('a message in too many wrappers is unsupported', () => {
    expect(readContent(proto.Message.decode(encodeNestedMessage(6)))).toMatchObject({ text: 'deep' })
    expect(readContent(proto.Message.decode(encodeNestedMessage(20)))).toMatchObject({
      messageType: 'ephemeralMessage',
      type: 'unsupported',
      content: { field: 40 },
    })
  })

  test('thousands of newer wrappers in one another cost no more than a few', () => {
    let bytes = hello
    for (let depth = 0; depth < 3000; depth += 1) bytes = encodeField(1, encodeField(118, bytes))
    const start = performance.now()
    expect(readContent(receiveField(118, bytes))).toMatchObject({ type: 'unsupported' })
    expect(performance.now() - start).toBeLessThan(1000)
  })

  test('a field of a later version with more than a message may hold is unsupported, and nothing is made of its parts', () => {
    const parts = Buffer.alloc(2_000_000, Buffer.from([0x1a, 0]))
    for (const number of [115, 119]) {
      const message = proto.Message.decode(encodeField(number, parts))
      expect(
        message.pollCreationMessageV5?.options ?? message.pollResultSnapshotMessageV3?.pollVotes ?? [],
      ).toEqual([])
      expect(readContent(message)).toMatchObject({ type: 'unsupported' })
    }
  })

  test('an answer of the phone that is no message is passed over, and said', () => {
    const { PeerDataOperationRequestResponseMessage: Answer, ProtocolMessage } = proto.Message
    const webMessageInfoBytes = Buffer.from([0xff])
    const peerDataOperationRequestResponseMessage = Answer.create({
      peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
    })
    const protocolMessage = ProtocolMessage.create({ peerDataOperationRequestResponseMessage })
    const unread: unknown[] = []
    const info = { key: { fromMe: true }, message: { protocolMessage } }
    expect(readResent(info, (error) => unread.push(error))).toEqual([])
    expect(unread).toHaveLength(1)
  })

  test('an empty wrapper, and a seal of an unknown type, are unsupported by their names', () => {
    expect(readContent({ questionMessage: {} })).toMatchObject({
      messageType: 'questionMessage',
      type: 'unsupported',
      content: { field: 101 },
    })
    const sealed = { secretEncryptedMessage: { targetMessageKey: { id: 'TARGET' }, secretEncType: 0 } }
    expect(readContent(sealed)).toMatchObject({
      messageType: 'secretEncryptedMessage',
      type: 'unsupported',
      content: { field: 82 },
    })
  })

  test('long lists are cut, and their record says so', () => {
    const participants = Array.from({ length: 1000 }, () => ({ jid: '1@s.whatsapp.net' }))
    const pollVotes = Array.from({ length: 1000 }, () => ({ optionName: 'x' }))
    for (const message of [
      { callLogMesssage: { participants } },
      { pollResultSnapshotMessage: { pollVotes } },
    ])
      expect(readContent(message)?.truncated).toBe(true)
  })
})

test('a place or an amount that is no number of JSON is 0', () => {
  const place = { degreesLatitude: Number.NaN, degreesLongitude: Number.POSITIVE_INFINITY }
  expect(readContent({ locationMessage: place })?.content).toMatchObject({ latitude: 0, longitude: 0 })
  expect(readContent({ eventMessage: { location: place } })?.content).toMatchObject({
    location: { latitude: 0, longitude: 0 },
  })
  const buttonParamsJson =
    '{"total_amount":{"value":"1e999"},"order":{"items":[{"name":"x","quantity":"1e999"}]}}'
  const buttons = [{ name: 'order_details', buttonParamsJson }]
  const { payment } = readContent({ interactiveMessage: { nativeFlowMessage: { buttons } } })?.content ?? {}
  expect(payment).toEqual({ flow: 'order_details', items: [{ name: 'x' }] })
})

test('the parts of an album name it', () => {
  const messageAssociation = { associationType: 1, parentMessageKey: { id: 'ALBUM' } }
  const message = { imageMessage: { mimetype: 'image/jpeg' }, messageContextInfo: { messageAssociation } }
  expect(readContent(message)?.content.album).toBe('ALBUM')
  expect(readContent({ ephemeralMessage: { message } })?.content.album).toBe('ALBUM')
})

const { Type } = proto.Message.ProtocolMessage
test.each([
  ['a chat timer', { type: Type.EPHEMERAL_SETTING, ephemeralExpiration: 86_400 }, { seconds: 86_400 }],
  ['limited sharing', { type: Type.LIMIT_SHARING, limitSharing: {} }, { sharingLimited: false }],
  ['a label', { type: Type.GROUP_MEMBER_LABEL_CHANGE, memberLabel: { label: 'Cook' } }, { label: 'Cook' }],
  ['a shared number', { type: Type.SHARE_PHONE_NUMBER }, { shared: 'phoneNumber' }],
])('%s is read from a message of the protocol', (_, protocolMessage, content) => {
  expect(readContent({ protocolMessage })?.content).toEqual(content)
})
