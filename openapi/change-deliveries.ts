// Documentation of the envelopes of edited messages, groups, calls, limits, and undecryptable messages.

import * as sample from '../shared/api/sample-values.ts'
import * as envelopes from '../shared/contract/change-envelopes.ts'
import type { Delivery } from './documented-delivery.ts'

const customer = `${sample.customer}@s.msgnet.net`
const Timestamp = sample.head.timestamp

export const changeDeliveries: Record<string, Delivery> = {
  messages_edit: {
    summary: 'The text of a message has changed',
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
    summary: 'A group has changed, or the account has joined one',
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
    summary: 'A call has come in, or the state of a call has changed',
    envelope: envelopes.CallEnvelope,
    example: { EventType: 'call', ...sample.head, event: sample.call },
  },
  limits: {
    summary: 'A temporary limit of the account has started or ended',
    envelope: envelopes.LimitsEnvelope,
    example: {
      EventType: 'limits',
      ...sample.head,
      event: { kind: 'reachout_timelock', active: true, until: 0, provider_code: 463 },
    },
  },
  undecryptable: {
    summary: 'A message could not be decrypted, and its sender has not repaired it within 5 seconds',
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
