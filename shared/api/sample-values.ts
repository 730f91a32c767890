// Values for the examples: one shop, its customer, its webhook.

import { type Coverage, noCoverage } from '../contract/coverage.ts'
import { emptyMessage } from '../contract/message-requests.ts'

const createdTime = '2026-09-17T09:00:00.000Z'
const linkedTime = '2026-09-17T09:01:12.000Z'

export const instanceToken = 'mgi_Zk3v0b1wP5r7Yt9uIoAsDfGhJkLqWeRxCvBnM2XyQ4s'
export const hostToken = 'mgh_Hn2c8d4fG6h0Jk2lPoIuYtReWqAsDfGhXcVbNm1QwE3'
export const adminToken = 'mga_Ad4m1nT0k3nF0rTh3D4shb04rdXyZqWeRtYuIoPaSdF'
export const customer = '5511999999999'
export const shop = '5511988887777'

export const fresh = {
  id: '3f0c6a1e-6f0b-4c57-9d39-5a0f8a1c2b7d',
  kind: 'msgnet',
  name: 'Shop',
  companyId: '',
  handle: '',
  owner: '',
  profileName: '',
  qrcode: '',
  paircode: '',
  status: 'disconnected',
  lastDisconnect: '',
  lastDisconnectReason: '',
  msg_delay_min: 0,
  msg_delay_max: 0,
  createdAt: createdTime,
  updatedAt: createdTime,
}

export const connected = {
  ...fresh,
  owner: shop,
  profileName: 'The Shop',
  status: 'connected',
  updatedAt: linkedTime,
}

export const tokenRecord = {
  id: '5b0f5a0e-1d3c-4b7e-9a52-0c1d2e3f4a5b',
  name: 'Dashboard',
  scope: 'read',
  createdAt: createdTime,
  renewedAt: '',
  expiresAt: '',
  previousUntil: '',
}

export const proxy = { enabled: true, proxy_url: 'socks5://shop:***@proxy.example.net:1080' }

const picture = 'data:image/png;base64,iVBORw0KGgo…'

export const pairing = {
  qr: { method: 'qr', qr: '2@Yx1…,kP9…,Lm4…', qrcode: picture, expiresAt: linkedTime },
  code: { method: 'code', code: 'ABCD-1234', expiresAt: linkedTime },
  passkey: {
    method: 'qr',
    qr: '',
    qrcode: '',
    expiresAt: linkedTime,
    passkey: {
      options: {
        challenge: 'q3l5Jc0v0mJ5b1Zk0c1y3nq7m2v8r4tXw9uYbEoPdGA',
        timeout: 600_000,
        rpId: 'msgnet.net',
        allowCredentials: [],
        userVerification: 'required',
        extensions: { uvm: true },
      },
      confirmation: '',
      expiresAt: linkedTime,
    },
  },
}

export const passkeyAssertion = {
  id: 'kT3vYw0q8mZb5nXc1uLdRg',
  rawId: 'kT3vYw0q8mZb5nXc1uLdRg',
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'xGzvgq0bVGR3WR0Aiwh1nsPm0uy085R0v-ppaZJdA7cFAAAAAQ',
    signature: 'MEUCIQDk3J7m0vQ1cY8wB2nZr5tXh6LdPgSaFvKuEoRbTyWqCgIgT0x',
    userHandle: null,
  },
}

/** Logged out for three days, then linked again. */
export const coverage: Coverage = {
  since: 1_789_635_672_000,
  until: 1_790_246_712_000,
  gaps: [{ from: 1_789_981_272_000, to: 1_790_240_472_000, state: 'filled', recovered: 100 }],
}

const noWebhook = { registered: false, inheritedGlobal: true }

export const connection = {
  connected: true,
  loggedIn: true,
  jid: `${shop}@s.msgnet.net`,
  status: {
    connected: true,
    loggedIn: true,
    jid: { user: shop, agent: 0, device: 0, server: 's.msgnet.net' },
  },
  instance: connected,
  history: { state: 'complete', progress: 100 },
  coverage,
  webhooks: noWebhook,
}

export const connecting = {
  connected: true,
  loggedIn: false,
  jid: '',
  status: { connected: false, loggedIn: false, jid: null },
  instance: { ...fresh, status: 'connecting', qrcode: picture },
  history: { state: 'none', progress: 0 },
  coverage: noCoverage,
  pairing: pairing.qr,
  webhooks: noWebhook,
}

/** Bytes as the library writes them to JSON. These are keys of nobody: the private one is counted up from 1. */
const toBytes = (data: string) => ({ type: 'Buffer', data })
const inventedKey = toBytes('AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=')
const inventedPair = {
  public: toBytes('B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw='),
  private: inventedKey,
}
/** Of the public key, by the private one. */
const inventedSignature = toBytes(
  'A71P6jtoXDsUxCTXpIRokD/lp3+v8j7Wlxu8uJohZfgv6oER0NgRBNhKyvqC7MGiJAeOmXlGTufuc4rsexI7iw==',
)

/** A device with one key beside its credential. */
export const credentialLines = [
  { format: 'baileys', account: `${shop}@s.msgnet.net` },
  {
    kind: 'creds',
    id: '',
    value: {
      noiseKey: inventedPair,
      signedIdentityKey: inventedPair,
      signedPreKey: { keyPair: inventedPair, signature: inventedSignature, keyId: 1 },
      registrationId: 107,
      advSecretKey: inventedKey.data,
      nextPreKeyId: 2,
      firstUnuploadedPreKeyId: 2,
      me: { id: `${shop}:12@s.whatsapp.net`, name: 'Shop' },
      account: {
        details: toBytes('CAEQARgB'),
        accountSignatureKey: inventedKey,
        accountSignature: inventedSignature,
        deviceSignature: inventedSignature,
      },
    },
  },
  { kind: 'pre-key', id: '1', value: inventedPair },
  { end: true, rows: 2 },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('')

export const sent = {
  ...emptyMessage,
  id: `${shop}:3EB0A1B2C3D4E5F60718`,
  messageid: '3EB0A1B2C3D4E5F60718',
  chatid: `${customer}@s.msgnet.net`,
  sender: `${shop}@s.msgnet.net`,
  sender_pn: `${shop}@s.msgnet.net`,
  fromMe: true,
  messageType: 'conversation',
  type: 'text',
  messageTimestamp: 1_789_635_720_000,
  status: 'Sent',
  text: 'Your order 7 is on its way.',
  owner: shop,
  wasSentByApi: true,
}

const subscription = {
  id: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
  url: 'https://hooks.example.com/msgnet',
  events: ['messages', 'messages_update'],
  enabled: true,
  excludeMessages: ['wasSentByApi'],
  hasSecret: true,
  secretSealed: true,
  createdAt: createdTime,
  updatedAt: createdTime,
  ignoredEvents: [],
}

export const webhook = {
  registered: true,
  ...subscription,
  inheritedGlobal: false,
  deliveryStatus: {
    pending: 0,
    dead: 0,
    lastDeliveredAt: linkedTime,
    lastFailure: null,
    failingSince: null,
    cause: '',
    waitingSince: null,
    paused: '',
    pausedUntil: null,
  },
  webhooks: [subscription],
}

const { id: _, ...destination } = subscription
export const serverWebhook = { registered: true, scope: 'server', ...destination }

export const eventId = '0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11'

export const head = {
  eventId,
  seq: 12,
  instanceId: fresh.id,
  instanceName: fresh.name,
  owner: shop,
  timestamp: 1_789_635_720_000,
}

export const received = {
  ...sent,
  id: `${shop}:3A5F0C9B8E7D`,
  messageid: '3A5F0C9B8E7D',
  sender: `${customer}@s.msgnet.net`,
  senderName: 'Bruno',
  sender_pn: `${customer}@s.msgnet.net`,
  fromMe: false,
  status: '',
  text: 'Is it open today?',
  wasSentByApi: false,
}

export const host = {
  id: '6a1e0c57-0b7d-4a1c-9d39-3f0c5a0f8a1c',
  region: 'eu-west',
  store: 'e0a3b8f2-5a51-4b0b-8f6c-2f1f0a1d9c77',
  live: true,
  draining: false,
  slots: 200,
  sessions: 41,
  lag: 2,
  leaseUntil: linkedTime,
  createdAt: createdTime,
}

export const groupJid = '120363041234567890@g.us'
export const inviteCode = 'BqTr5Kz0AbCdEfGhIjKlMn'
export const inviteLink = `https://chat.whatsapp.com/${inviteCode}`

export const call = {
  CallID: '5E0A77C1B2D3',
  From: `${customer}@s.msgnet.net`,
  CallCreator: `${customer}@s.msgnet.net`,
  GroupJID: '',
  IsVideo: false,
  IsGroup: false,
  State: 'offer',
  Reason: '',
  Timestamp: head.timestamp,
}

export const poll = {
  ...sent,
  messageType: 'pollCreationMessageV3',
  type: 'poll',
  text: 'When?',
  content: { choices: ['Today', 'Tomorrow'], selectableCount: 1 },
}

export const reaction = {
  ...sent,
  messageType: 'reactionMessage',
  type: 'reaction',
  text: '👍',
  reaction: received.messageid,
}

export const edit = {
  ...sent,
  messageType: 'protocolMessage',
  type: 'edit',
  text: 'Your order 7 has arrived.',
  edited: sent.messageid,
}

const member = { LID: '', IsSuperAdmin: false, DisplayName: '', Error: 0 }

export const group = {
  JID: groupJid,
  OwnerJID: `${shop}@s.msgnet.net`,
  OwnerPN: `${shop}@s.msgnet.net`,
  Name: 'Regulars',
  Topic: '',
  GroupCreated: 1_789_635_000_000,
  IsLocked: false,
  IsAnnounce: false,
  IsEphemeral: false,
  DisappearingTimer: 0,
  IsJoinApprovalRequired: false,
  MemberAddMode: 'admin_add',
  AddressingMode: 'pn',
  OwnerIsAdmin: true,
  OwnerCanSendMessage: true,
  ParticipantCount: 2,
  invite_link: '',
  Participants: [
    { ...member, JID: `${shop}@s.msgnet.net`, PhoneNumber: `${shop}@s.msgnet.net`, IsAdmin: true },
    { ...member, JID: `${customer}@s.msgnet.net`, PhoneNumber: `${customer}@s.msgnet.net`, IsAdmin: false },
  ],
}

/** A PNG of one pixel. */
export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
