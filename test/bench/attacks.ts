// What one tenant, or a stranger without a token, may ask for to hold up the others of a gateway.

import type { LinkedDevice } from '../device.ts'
import { createFlac } from '../flac-file.ts'
import { createWav } from '../media-files.ts'
import type { World } from '../world.ts'
import type { AttackRequest } from './attack-process.ts'

export interface AttackStage {
  world: World
  /** The instance whose token the attacker has: 5,000 chats, 60,000 messages, thousands of events. */
  attacker: LinkedDevice
  /** A phone that gets what the attacker sends. */
  friend: string
  /** A link to a file of 60 MB, which needs no token. */
  mediaLink: string
  /** The URL of a file that goes on for as long as it is read. */
  endlessFile: string
}

export interface Attack {
  name: string
  atOnce: number
  /** Whether the neighbour's voice notes are measured beside its texts. */
  withVoice?: boolean
  listRequests(stage: AttackStage): AttackRequest[]
}

const TEN_FILTERS = {
  operator: 'OR',
  wa_name: '~x1',
  name: '~x2',
  wa_contactName: '~x3',
  wa_chatid: '~x4',
  wa_chatlid: '~x5',
  wa_fastid: '~x6',
  wa_lastMessageTextVote: '~x7',
  wa_lastMessageType: '~x8',
  wa_lastMessageSender: '~x9',
  wa_label: '~x0',
  limit: 100,
}

/** What a stranger sends: the network lets messages of this size pass. */
const CARD_BYTES = 800_000
const CARD_LINE = 'TEL;type=CELL;waid=5511999999999:+55 11 99999-9999\n'
const CARD = `BEGIN:VCARD\nVERSION:3.0\nFN:x\n${CARD_LINE.repeat(CARD_BYTES / CARD_LINE.length)}END:VCARD`
const BURST = 400

/** A rate that no device has: of each sample 48,000 would be made. */
const ONE_HERTZ = 1
const LONG_SAMPLES = 3000 * 48_000

const post = ({ world, attacker }: AttackStage, path: string, body: unknown): AttackRequest => ({
  method: 'POST',
  url: world.run.baseUrl + path,
  headers: { token: attacker.token, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const get = (url: string, headers: Record<string, string> = {}): AttackRequest => ({
  method: 'GET',
  url,
  headers,
})

const sendSound = (stage: AttackStage, file: Buffer): AttackRequest =>
  post(stage, '/send/media', { number: stage.friend, type: 'ptt', file: file.toString('base64') })

/** The network itself sends it, so its own cost is in the figures too. */
const sendFromStranger = ({ world, attacker, friend }: AttackStage, content: object): AttackRequest => ({
  method: 'POST',
  url: `${world.run.simulatorUrl}/sim/messages`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ from: friend, to: attacker.number, ...content }),
})

export const attacks: Attack[] = [
  {
    name: 'chats by ten filters, 2 at once',
    atOnce: 2,
    listRequests: (stage) => [post(stage, '/chat/find', TEN_FILTERS)],
  },
  {
    name: 'chats by ten filters, 32 at once',
    atOnce: 32,
    listRequests: (stage) => [post(stage, '/chat/find', TEN_FILTERS)],
  },
  {
    name: 'chats by words, 8 at once',
    atOnce: 8,
    listRequests: (stage) => [post(stage, '/chat/find', { search: 'nobody', limit: 100 })],
  },
  {
    name: 'messages by type and source, 4 at once',
    atOnce: 4,
    listRequests: (stage) => [
      post(stage, '/message/find', { track_source: 'none', messageType: 'none', limit: 100 }),
      post(stage, '/message/find', { messageType: 'none', limit: 100 }),
    ],
  },
  {
    name: 'lists of messages, 64 at once',
    atOnce: 64,
    listRequests: (stage) => [post(stage, '/message/find', { limit: 100 })],
  },
  {
    name: 'pages of 200 events, 64 at once',
    atOnce: 64,
    listRequests: ({ world, attacker }) => [
      get(`${world.run.baseUrl}/v1/events?limit=200`, { token: attacker.token }),
    ],
  },
  {
    name: 'the OpenAPI document without a token, 32 at once',
    atOnce: 32,
    listRequests: ({ world }) => [
      get(`${world.run.baseUrl}/openapi.json`),
      get(`${world.run.baseUrl}/openapi.json`, { 'accept-encoding': 'br, gzip' }),
    ],
  },
  {
    name: 'a file of 60 MB by an upgrade, 24 at once',
    atOnce: 24,
    listRequests: ({ mediaLink }) => [
      get(mediaLink, { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }),
    ],
  },
  {
    name: 'bodies of 12 MiB of values at /mcp, 8 at once',
    atOnce: 8,
    listRequests: (stage) => [post(stage, '/mcp', Array(6_000_000).fill(0))],
  },
  {
    name: 'endless files by URL, 6 at once',
    atOnce: 6,
    listRequests: (stage) => [
      post(stage, '/send/media', { number: stage.friend, type: 'document', file: stage.endlessFile }),
    ],
  },
  {
    name: 'sounds of 1 Hz, 4 at once',
    atOnce: 4,
    withVoice: true,
    listRequests: (stage) => [
      sendSound(stage, createFlac({ rate: ONE_HERTZ, samples: 3600 })),
      sendSound(stage, createWav(3500, ONE_HERTZ)),
    ],
  },
  {
    name: 'fifty minutes of silence in 31 kB, 10 at once',
    atOnce: 10,
    withVoice: true,
    listRequests: (stage) => [sendSound(stage, createFlac({ rate: 48_000, samples: LONG_SAMPLES }))],
  },
  {
    name: 'received cards of 800 kB, 3 at once',
    atOnce: 3,
    listRequests: (stage) => [sendFromStranger(stage, { contact: { displayName: 'x', vcard: CARD } })],
  },
  {
    name: 'received bursts of 400 texts',
    atOnce: 1,
    listRequests: (stage) => [sendFromStranger(stage, { text: 'x'.repeat(10), count: BURST })],
  },
]
