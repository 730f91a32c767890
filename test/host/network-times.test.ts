// Times of messages, receipts and calls from the network: an impossible time is replaced by the time of arrival.

import { EventEmitter } from 'node:events'
import { adaptCalls } from '@msgnet/session-host/driver/baileys/call-signaling.ts'
import { adaptReceipts } from '@msgnet/session-host/driver/baileys/messages/incoming-receipts.ts'
import { toNetworkMessage } from '@msgnet/session-host/driver/baileys/messages/message-conversion.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { describe, expect, test } from 'vitest'

type Info = Parameters<typeof toNetworkMessage>[0]
type Stamp = Info['messageTimestamp']
type Socket = Parameters<typeof adaptCalls>[0]

const me = { id: '5511900000000:1@s.whatsapp.net' }
const stranger = '5511911111111@s.whatsapp.net'

/** A 64-bit number as the library has it. */
const createLong = (digits: string) => ({ toString: () => digits }) as unknown as Stamp
const toSeconds = (ms: number) => Math.floor(ms / 1000)

const impossible: [string, Stamp][] = [
  ['none', undefined],
  ['null', null],
  ['0', 0],
  ['a negative one', -1],
  ['a huge negative one', -1e18],
  ['1970', 1],
  ['a week ahead', toSeconds(Date.now() + 7 * DAY)],
  ['the year 33658', 1e12],
  ['no date at all', 1e18],
  ['the largest of 64 bits', createLong('18446744073709551615')],
  ['no number', Number.NaN],
  ['without an end', Number.POSITIVE_INFINITY],
  ['words', createLong('yesterday')],
]

function createMessageAt(messageTimestamp: Stamp): number | undefined {
  const key = { id: '3EB0', remoteJid: stranger, fromMe: false }
  return toNetworkMessage({ key, messageTimestamp, message: { conversation: 'hello' } } as Info, me)?.at
}

function createReceiptAt(readTimestamp: Stamp): number | undefined {
  const ev = new EventEmitter()
  const times: number[] = []
  adaptReceipts(
    { ev } as unknown as Socket,
    () => me,
    (receipts) => times.push(...receipts.map(({ at }) => at)),
  )
  const key = { id: '3EB0', remoteJid: '120363000000000001@g.us', fromMe: true }
  ev.emit('message-receipt.update', [
    {
      key,
      receipt: { userJid: stranger, readTimestamp: readTimestamp ?? 0, receiptTimestamp: readTimestamp },
    },
  ])
  return times[0]
}

function createCallAt(messageTimestamp: Stamp): number | undefined {
  const ev = new EventEmitter()
  const times: number[] = []
  adaptCalls({ ev } as unknown as Socket, ({ at }) => times.push(at))
  const date = new Date(Number(messageTimestamp) * 1000)
  ev.emit('call', [{ id: 'C', from: stranger, status: 'offer', date }])
  return times[0]
}

describe.each([
  ['a message', createMessageAt],
  ['a receipt', createReceiptAt],
  ['a call', createCallAt],
] as const)('%s', (_, at) => {
  test.each(impossible)('a message with the time “%s” has the time of its arrival', (_, input) => {
    const before = Date.now()
    expect(at(input)).toBeGreaterThanOrEqual(before)
    expect(at(input)).toBeLessThanOrEqual(Date.now())
  })

  test('a time of the last years, or of a clock a little ahead, is used as it is', () => {
    for (const ms of [Date.UTC(2009, 6), Date.UTC(2020, 1), Date.now(), Date.now() + DAY / 2]) {
      expect(at(toSeconds(ms))).toBe(toSeconds(ms) * 1000)
      expect(at(createLong(String(toSeconds(ms))))).toBe(toSeconds(ms) * 1000)
    }
  })
})
