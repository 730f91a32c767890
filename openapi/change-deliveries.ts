// Documentation of the envelopes of edited messages, groups, calls, limits, presence, undecryptable messages, and the history.

import * as sample from '@msgnet/shared/api/sample-values.ts'
import * as envelopes from '@msgnet/shared/contract/change-envelopes.ts'
import type { Delivery } from './documented-delivery.ts'

const customer = `${sample.customer}@s.msgnet.net`
const other = '5511977776666@s.msgnet.net'
const Timestamp = sample.head.timestamp

const changeGroup = (change: object, type = 'Group') => ({
  EventType: 'groups',
  ...sample.head,
  type,
  event: {
    JID: sample.groupJid,
    Sender: customer,
    sender_pn: customer,
    sender_lid: '',
    Timestamp,
    Join: [],
    Leave: [],
    Promote: [],
    Demote: [],
    ...change,
  },
})

const call = (change: object) => ({
  EventType: 'call',
  ...sample.head,
  event: { ...sample.call, ...change },
})

const limit = (event: object) => ({
  EventType: 'limits',
  ...sample.head,
  event: { kind: 'reachout_timelock', active: true, until: 0, provider_code: 463, ...event },
})

const presence = (event: object) => ({
  EventType: 'presence',
  ...sample.head,
  seq: 0,
  event: {
    number: customer,
    state: 'composing',
    lastSeen: 0,
    Sender: customer,
    sender_pn: customer,
    sender_lid: '',
    IsGroup: false,
    ...event,
  },
})

export const changeDeliveries: Record<string, Delivery> = {
  messages_edit: {
    summary: 'The text of a message has changed',
    envelope: envelopes.MessagesEditEnvelope,
    examples: {
      'a new text': {
        EventType: 'messages_edit',
        ...sample.head,
        event: {
          messageid: sample.received.messageid,
          chatid: customer,
          text: 'Is it open tomorrow?',
          mentions: [],
          editedAt: Timestamp,
        },
      },
      'a new text that cannot be decrypted': {
        EventType: 'messages_edit',
        ...sample.head,
        event: {
          messageid: sample.received.messageid,
          chatid: customer,
          text: '',
          mentions: [],
          editedAt: Timestamp,
          unreadable: true,
        },
      },
    },
  },
  groups: {
    summary: 'A group has changed, or the account has joined one',
    envelope: envelopes.GroupsEnvelope,
    examples: {
      'a new name': changeGroup({ Name: 'Regulars' }),
      'somebody joined': changeGroup({ Join: [other] }),
      'somebody left': changeGroup({ Sender: other, sender_pn: other, Leave: [other] }),
      'a new admin': changeGroup({ Promote: [other] }),
      'only admins write': changeGroup({ Announce: true }),
      'the account was added': changeGroup({ Name: 'Regulars', Topic: '' }, 'JoinedGroup'),
    },
  },
  call: {
    summary: 'A call has come in, or the state of a call has changed',
    envelope: envelopes.CallEnvelope,
    examples: {
      'it rings': call({}),
      'the caller gave up': call({ State: 'terminate', Reason: 'timeout' }),
      rejected: call({ State: 'reject' }),
    },
  },
  limits: {
    summary: 'A temporary limit of the account has started or ended',
    envelope: envelopes.LimitsEnvelope,
    examples: {
      'new chats are locked': limit({}),
      'the lock has ended': limit({ active: false }),
      'too many requests': limit({ kind: 'rate_overlimit', provider_code: 429 }),
    },
  },
  undecryptable: {
    summary: 'A message could not be decrypted, and its sender has not repaired it within 5 seconds',
    envelope: envelopes.UndecryptableEnvelope,
    examples: {
      'a message without its text': {
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
  },
  history: {
    summary: 'Some messages of the past of the account, which the phone was asked for',
    envelope: envelopes.HistoryEnvelope,
    examples: {
      'a message of last year': {
        EventType: 'history',
        ...sample.head,
        event: {
          progress: 40,
          chunk: 3,
          chats: [{ id: customer, lid: '', name: 'Ana', isGroup: false }],
          messages: [{ ...sample.received, messageTimestamp: Timestamp - 31_536_000_000, source: 'history' }],
        },
      },
    },
  },
  webhook: {
    summary: 'To the webhook of the server: the webhook of an instance fails, is paused, or has recovered',
    envelope: envelopes.WebhookEnvelope,
    examples: {
      'a receiver responded with 410': {
        EventType: 'webhook',
        ...sample.head,
        seq: 0,
        event: {
          webhookId: sample.webhook.webhooks[0]?.id,
          url: sample.webhook.url,
          state: 'paused',
          since: Timestamp,
          cause: 'status_410',
          status: 410,
        },
      },
    },
  },
  presence: {
    summary: 'A person of a subscribed chat is online, types or records, or does not any more',
    envelope: envelopes.PresenceEnvelope,
    examples: {
      'a person types': presence({}),
      'a person is online': presence({ state: 'available' }),
      'a person has left': presence({ state: 'unavailable', lastSeen: Timestamp }),
      'somebody records in a group': presence({ number: sample.groupJid, state: 'recording', IsGroup: true }),
    },
  },
}
