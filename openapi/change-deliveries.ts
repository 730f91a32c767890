// Documentation of the envelopes of edited messages, groups, calls, limits, and undecryptable messages.

import * as sample from '../shared/api/sample-values.ts'
import * as envelopes from '../shared/contract/change-envelopes.ts'
import type { Delivery } from './documented-delivery.ts'

const customer = `${sample.customer}@s.msgnet.net`
const Timestamp = sample.head.timestamp

export const changeDeliveries: Record<string, Delivery> = {
  messages_edit: {
    summary: 'A message says something else now',
    envelope: envelopes.MessagesEditEnvelope,
    example: {
      EventType: 'messages_edit',
      ...sample.head,
      event: {
        messageid: sample.received.messageid,
        chatid: customer,
        text: 'Is it open tomorrow?',
        editedAt: Timestamp,
      },
    },
  },
  groups: {
    summary: 'A group has changed, or the account has come into one',
    envelope: envelopes.GroupsEnvelope,
    example: {
      EventType: 'groups',
      ...sample.head,
      type: 'Group',
      event: {
        JID: sample.groupJid,
        Sender: customer,
        sender_pn: customer,
        sender_lid: '',
        Timestamp,
        Name: 'Regulars',
        Join: [],
        Leave: [],
        Promote: [],
        Demote: [],
      },
    },
  },
  call: {
    summary: 'Somebody calls, or a call has gone on',
    envelope: envelopes.CallEnvelope,
    example: { EventType: 'call', ...sample.head, event: sample.call },
  },
  limits: {
    summary: 'What the account may not do for a while, or may do again',
    envelope: envelopes.LimitsEnvelope,
    example: {
      EventType: 'limits',
      ...sample.head,
      event: { kind: 'reachout_timelock', active: true, until: 0, provider_code: 463 },
    },
  },
  undecryptable: {
    summary: 'A message could not be read, and its sender has not repaired it within 5 seconds',
    envelope: envelopes.UndecryptableEnvelope,
    example: {
      EventType: 'undecryptable',
      ...sample.head,
      event: {
        messageid: '3A5F0C9B8E7D',
        chatid: customer,
        sender: customer,
        reason: 'Bad MAC',
        timestamp: Timestamp,
      },
    },
  },
}
