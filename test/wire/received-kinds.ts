// Samples of kinds of messages as they come from the network; those that are newer than the installed library by the number of their field.

import { proto } from 'baileys'
import { encodeField, encodeVarint } from '../host/hostile.ts'
import type { KindSample } from '../kind-samples.ts'

/** As it comes from the network. */
export function receiveSample(name: string, { fields }: KindSample) {
  const message = proto.Message.fromObject({ [name]: fields })
  return proto.Message.decode(proto.Message.encode(message).finish())
}

/** A message with one field, by its number. */
export const receiveField = (number: number, part: Uint8Array | string) =>
  proto.Message.decode(encodeField(number, part))
const encodeNumber = (number: number, value: number): Buffer =>
  Buffer.concat([encodeVarint(number * 8), encodeVarint(value)])

const AT = 1_790_000_000
const encodedPoll = proto.Message.PollCreationMessage.encode({
  name: 'When?',
  options: [{ optionName: 'Today' }, { optionName: 'Tomorrow' }],
}).finish()
const target = proto.MessageKey.encode({ id: 'TARGET' }).finish()
const money = proto.Money.encode({ value: 2550, offset: 100, currencyCode: 'BRL' }).finish()
export const hello = encodeField(1, encodeField(1, 'Hello'))

/** By their number: a name, the bytes, and what their record says. */
export const newerKinds: [number, string, Uint8Array, object][] = [
  ...[116, 117, 118, 126, 131].map((number): [number, string, Uint8Array, object] => [
    number,
    'a wrapper',
    hello,
    { messageType: 'conversation', type: 'text', text: 'Hello' },
  ]),
  [
    115,
    'results of a poll',
    proto.Message.PollResultSnapshotMessage.encode({ name: 'When?' }).finish(),
    { messageType: 'pollResultSnapshotMessageV3', text: 'When?', content: { results: [] } },
  ],
  [
    119,
    'a poll with an end',
    Buffer.concat([encodedPoll, encodeNumber(9, AT), encodeNumber(11, 1)]),
    {
      messageType: 'pollCreationMessageV6',
      type: 'poll',
      text: 'When?',
      content: {
        choices: ['Today', 'Tomorrow'],
        selectableCount: 0,
        endTime: AT * 1000,
        takesChoices: true,
      },
    },
  ],
  [
    121,
    'a choice that is added to a poll',
    Buffer.concat([encodeField(1, target), encodeField(2, encodeField(1, 'Never'))]),
    {
      messageType: 'pollAddOptionMessage',
      text: 'Never',
      target: 'TARGET',
      content: { target: 'TARGET', choice: 'Never' },
    },
  ],
  [
    122,
    'an invitation to an event',
    Buffer.concat([encodeField(2, 'e1'), encodeField(3, 'Dinner'), encodeNumber(5, AT)]),
    {
      messageType: 'eventInviteMessage',
      text: 'Dinner',
      content: { title: 'Dinner', event: 'e1', startTime: AT * 1000 },
    },
  ],
  [
    124,
    'a reminder of a payment',
    Buffer.concat([encodeField(3, 'Rent'), encodeNumber(4, 3), encodeField(9, money)]),
    {
      messageType: 'paymentReminderMessage',
      text: 'Rent',
      content: { payment: 'reminder', note: 'Rent', amount: 25.5, currency: 'BRL', frequency: 'monthly' },
    },
  ],
  [
    125,
    'a bill that is split',
    Buffer.concat([
      encodeField(1, 's1'),
      encodeField(2, money),
      encodeField(3, 'Pizza'),
      encodeField(5, Buffer.concat([encodeField(1, '5511900000001@s.whatsapp.net'), encodeNumber(3, 1)])),
    ]),
    {
      messageType: 'splitPaymentMessage',
      text: 'Pizza',
      content: {
        payment: 'split',
        note: 'Pizza',
        splitId: 's1',
        amount: 25.5,
        currency: 'BRL',
        people: [{ jid: '5511900000001@s.msgnet.net', paid: true }],
      },
    },
  ],
  [
    128,
    'a share that was paid',
    Buffer.concat([encodeField(1, 's1'), encodeField(2, '5511900000001@s.whatsapp.net')]),
    {
      messageType: 'splitPaymentUpdateMessage',
      content: { payment: 'splitPaid', splitId: 's1', from: '5511900000001@s.msgnet.net' },
    },
  ],
  [
    129,
    'music',
    encodeField(1, Buffer.concat([encodeField(3, 'Ana'), encodeField(4, 'Samba')])),
    { messageType: 'musicMessage', text: 'Samba\nAna', content: { title: 'Samba', artist: 'Ana' } },
  ],
]
