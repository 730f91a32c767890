// Polls of unknown senders: twelve options count, each vote costs the same, and a record stores a limited number of votes.

import { randomBytes } from 'node:crypto'
import { toNetworkMessage } from '@msgnet/session-host/driver/baileys/messages/message-conversion.ts'
import { encodeContent } from '@msgnet/session-host/driver/baileys/messages/message-encoding.ts'
import { decryptVote } from '@msgnet/session-host/driver/baileys/messages/poll-votes.ts'
import { applyPatches } from '@msgnet/session-host/driver/baileys/patches/apply-patches.ts'
import { applyVote } from '@msgnet/session-host/sessions/apply-vote.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import type { MessageRow } from '@msgnet/session-host/store/message-store.ts'
import { emptyMessage, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { proto, type WAMessage } from 'baileys'
import { beforeAll, expect, test } from 'vitest'
import { digestText, encodePollMessage, encodeVoteMessage } from '../host/hostile.ts'

const me = { id: '5511900000000@s.whatsapp.net' }
const BEN = '5511911111111'
const ben = `${BEN}@s.whatsapp.net`
const secret = randomBytes(32)

beforeAll(() => applyPatches())

function receivePoll(bytes: Uint8Array, id = 'POLL') {
  const info = { key: { remoteJid: ben, id }, message: proto.Message.decode(bytes), messageTimestamp: 1 }
  const message = toNetworkMessage(info as WAMessage, me)
  if (!message) throw new Error('it is no message')
  return message
}

/** The choices of a vote with these options. */
function readChoices(poll: Uint8Array, options: Buffer[]): string[] | undefined {
  const cast = encodeVoteMessage({ secret, id: 'POLL', creator: ben }, ben, options)
  const people = [`${BEN}@s.msgnet.net`]
  return decryptVote({ poll, pollid: 'POLL', creators: people, vote: cast, voters: people })
}

test('twelve options of a poll are read, cut to 100 characters, and the poll says that it was cut', () => {
  const buildName = (n: number) => `${n} ${'😀'.repeat(200)}`
  const poll = receivePoll(encodePollMessage(50, secret, buildName))
  expect(poll).toMatchObject({ type: 'poll', truncated: true, text: 'Which one?' })
  const choices = poll.content.choices as string[]
  expect(choices).toHaveLength(12)
  expect(choices.map((choice) => [...choice].length)).toEqual(Array(12).fill(100))
  expect(choices.every((choice) => choice.isWellFormed())).toBe(true)
  // A poll that phones can create is not cut.
  expect(receivePoll(encodePollMessage(12, secret)).truncated).toBeUndefined()
})

test('a vote names an option by the digest of its whole name, which is stored with the poll', () => {
  const buildName = (n: number) => `${n} ${'long '.repeat(50)}`
  const { encoded, content } = receivePoll(encodePollMessage(50, secret, buildName))
  const [, second] = content.choices as string[]
  expect(readChoices(encoded, [digestText(buildName(1))])).toEqual([second])
  expect(readChoices(encoded, [digestText(String(second))])).toEqual([])
  expect(readChoices(encoded, [digestText(buildName(30))])).toEqual([])
  // The same holds for a poll of our own, which is stored as it is sent.
  expect(readChoices(encodePollMessage(3, secret), [digestText('2')])).toEqual(['2'])
  expect(readChoices(encoded, Array<Buffer>(3000).fill(digestText(buildName(1))))).toBeUndefined()
})

test('a forwarded or quoted poll is sent without our digests', () => {
  const { encoded } = receivePoll(encodePollMessage(3, secret))
  const quoted = { messageid: 'POLL', sender: `${BEN}@s.msgnet.net`, encoded }
  const forward = encodeContent({ kind: 'forward', encoded })
  const reply = encodeContent({ kind: 'text', text: 'this one', quoted })
  const sent = [
    proto.Message.decode(forward?.encoded ?? new Uint8Array()).pollCreationMessage,
    proto.Message.decode(reply?.encoded ?? new Uint8Array()).extendedTextMessage?.contextInfo?.quotedMessage
      ?.pollCreationMessage,
  ]
  for (const poll of sent) {
    expect(poll?.options?.map(({ optionName }) => optionName)).toEqual(['0', '1', '2'])
    expect(poll?.options?.map(({ optionHash }) => optionHash ?? '')).toEqual(['', '', ''])
  }
})

/** A poll's row, and votes in it of so many people, each for these choices. */
async function countStored(people: number, choices: string[]) {
  const record: MessageRecord = { ...emptyMessage, messageid: 'POLL', type: 'poll', chatid: 'chat' }
  let row = { messageid: 'POLL', chatid: 'chat', record, encoded: new Uint8Array([1]) } as MessageRow
  const batch = {
    findRow: async () => row,
    changeRow(changed: MessageRow, record: MessageRecord) {
      if (changed.messageid === 'POLL') row = { ...changed, record }
    },
    addEvents: () => undefined,
  } as unknown as Batch
  for (let n = 0; n < people; n++) {
    const sender = `55119${String(n).padStart(8, '0')}@s.msgnet.net`
    const cast = {
      ...emptyMessage,
      chatid: 'chat',
      sender,
      content: { target: 'POLL' },
      messageTimestamp: 1e12,
    }
    const by = { ...row, messageid: `VOTE${n}`, record: { ...cast, messageid: `VOTE${n}` } }
    await applyVote(batch, by, { decryptVote: () => choices }, '')
  }
  const votes = row.record.content.votes as { sender: string }[]
  return { count: votes.length, last: votes.at(-1)?.sender, bytes: JSON.stringify(votes).length }
}

test('all votes of the largest group are stored with the poll, and only the newest if there are more or longer ones', async () => {
  const option = 'x'.repeat(100)
  expect(await countStored(1024, [option])).toMatchObject({ count: 1024 })
  expect(await countStored(1100, ['yes'])).toMatchObject({ count: 1024, last: '5511900001099@s.msgnet.net' })
  const all = await countStored(1100, Array(12).fill(option))
  expect(all.count).toBeGreaterThan(100)
  expect(all.bytes).toBeLessThan(200 * 1024)
  expect(all.last).toBe('5511900001099@s.msgnet.net')
})
