// Times that the network tells of messages, receipts and calls: what can be no time of such a thing counts as the time of arrival.

import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { adaptCalls } from '../../session-host/driver/baileys/calls.ts'
import { toMessage } from '../../session-host/driver/baileys/messages/inbound.ts'
import { adaptReceipts } from '../../session-host/driver/baileys/messages/receipts.ts'
import { DAY } from '../../shared/clock.ts'

type Info = Parameters<typeof toMessage>[0]
type Stamp = Info['messageTimestamp']
type Socket = Parameters<typeof adaptCalls>[0]

const me = { id: '5511900000000:1@s.whatsapp.net' }
const stranger = '5511911111111@s.whatsapp.net'

/** A 64-bit number as the library has it. */
const long = (digits: string) => ({ toString: () => digits }) as unknown as Stamp
const seconds = (ms: number) => Math.floor(ms / 1000)

const impossible: [string, Stamp][] = [
  ['none', undefined],
  ['null', null],
  ['0', 0],
  ['a negative one', -1],
  ['a huge negative one', -1e18],
  ['1970', 1],
  ['a week ahead', seconds(Date.now() + 7 * DAY)],
  ['the year 33658', 1e12],
  ['no date at all', 1e18],
  ['the largest of 64 bits', long('18446744073709551615')],
  ['no number', Number.NaN],
  ['without an end', Number.POSITIVE_INFINITY],
  ['words', long('yesterday')],
]

function messageAt(messageTimestamp: Stamp): number | undefined {
  const key = { id: '3EB0', remoteJid: stranger, fromMe: false }
  return toMessage({ key, messageTimestamp, message: { conversation: 'hello' } } as Info, me)?.at
}

function receiptAt(readTimestamp: Stamp): number | undefined {
  const ev = new EventEmitter()
  const told: number[] = []
  adaptReceipts(
    { ev } as unknown as Socket,
    () => me,
    (receipts) => told.push(...receipts.map(({ at }) => at)),
  )
  const key = { id: '3EB0', remoteJid: '120363000000000001@g.us', fromMe: true }
  ev.emit('message-receipt.update', [
    {
      key,
      receipt: { userJid: stranger, readTimestamp: readTimestamp ?? 0, receiptTimestamp: readTimestamp },
    },
  ])
  return told[0]
}

function callAt(messageTimestamp: Stamp): number | undefined {
  const ev = new EventEmitter()
  const told: number[] = []
  adaptCalls({ ev } as unknown as Socket, ({ at }) => told.push(at))
  const date = new Date(Number(messageTimestamp) * 1000)
  ev.emit('call', [{ id: 'C', from: stranger, status: 'offer', date }])
  return told[0]
}

describe.each([
  ['a message', messageAt],
  ['a receipt', receiptAt],
  ['a call', callAt],
] as const)('%s', (_, at) => {
  test.each(impossible)('with the time “%s” has that of its arrival', (_, given) => {
    const before = Date.now()
    expect(at(given)).toBeGreaterThanOrEqual(before)
    expect(at(given)).toBeLessThanOrEqual(Date.now())
  })

  test('keeps a time of the last years, and one of a clock that is a little ahead', () => {
    for (const ms of [Date.UTC(2009, 6), Date.UTC(2020, 1), Date.now(), Date.now() + DAY / 2]) {
      expect(at(seconds(ms))).toBe(seconds(ms) * 1000)
      expect(at(long(String(seconds(ms))))).toBe(seconds(ms) * 1000)
    }
  })
})
