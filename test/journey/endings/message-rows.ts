// Everything that is sent, and everything that is done to a message.

import { randomBytes } from 'node:crypto'
import { createQuietPhone } from '../../device.ts'
import { until } from '../../until.ts'
import {
  hashSha256,
  isOnPhone,
  isStored,
  type Prepared,
  type Row,
  type RowContext,
  toPersonJid,
} from './row.ts'

/** A PNG. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const sending = {
  question: { tag: 'message' },
  refusal: { code: 479, status: 422, error: 'operation_refused' },
  keyed: true,
  traced: true,
}

/** A message of ours on a friend's phone. */
async function sendText({ world, device }: RowContext): Promise<{ friend: string; id: string }> {
  const friend = await createQuietPhone(world)
  const response = await device.caller.post('/send/text', { number: friend, text: 'the one that is meant' })
  return { friend, id: response.body.messageid }
}

/** A message of a friend's in our store. */
export async function receiveText(ground: RowContext): Promise<{ friend: string; id: string }> {
  const { world, device } = ground
  const friend = await createQuietPhone(world)
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'for you' })
  await until(() => isStored(ground, id))
  return { friend, id: id as string }
}

async function prepareEdit(ground: RowContext): Promise<Prepared> {
  const { friend, id } = await sendText(ground)
  return {
    path: '/message/edit',
    body: { id, text: 'changed' },
    reader: friend,
    hasEffect: () => isOnPhone(ground, friend, ({ type, target }) => type === 'edit' && target === id),
  }
}

export const messages: Row[] = [
  {
    name: 'POST /send/text',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/send/text',
        body: { number, text: 'good morning' },
        reader: number,
        hasEffect: () => isOnPhone(ground, number, ({ text }) => text === 'good morning'),
      }
    },
  },
  {
    name: 'POST /send/media',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      const bytes = randomBytes(10_000)
      return {
        path: '/send/media',
        body: { number, type: 'document', file: bytes.toString('base64') },
        reader: number,
        hasEffect: () => isOnPhone(ground, number, ({ mediaSha256 }) => mediaSha256 === hashSha256(bytes)),
      }
    },
  },
  {
    name: 'POST /send/album',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      const files = [pixel, pixel].map((file) => ({ type: 'image', file }))
      return {
        path: '/send/album',
        body: { number, files },
        reader: number,
        hasEffect: () => isOnPhone(ground, number, ({ type }) => type === 'album'),
      }
    },
  },
  {
    name: 'POST /send/location',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/send/location',
        body: { number, latitude: -23.5, longitude: -46.6 },
        reader: number,
        hasEffect: () => isOnPhone(ground, number, ({ type }) => type === 'location'),
      }
    },
  },
  {
    name: 'POST /send/event',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/send/event',
        body: { number, name: 'Opening', startTime: 1_789_678_800_000 },
        reader: number,
        hasEffect: () =>
          isOnPhone(ground, number, ({ type, text }) => type === 'event' && text === 'Opening'),
      }
    },
  },
  {
    name: 'POST /send/contact',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/send/contact',
        body: { number, fullName: 'Carla', phoneNumber: '5511988887777' },
        reader: number,
        hasEffect: () =>
          isOnPhone(ground, number, ({ type, text }) => type === 'contact' && text === 'Carla'),
      }
    },
  },
  {
    name: 'POST /send/menu',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      const poll = { type: 'poll', text: 'When?', choices: ['Today', 'Tomorrow'] }
      return {
        path: '/send/menu',
        body: { number, ...poll },
        reader: number,
        hasEffect: () => isOnPhone(ground, number, ({ type, text }) => type === 'poll' && text === 'When?'),
      }
    },
  },
  {
    name: 'POST /send/status',
    ...sending,
    async prepare(ground) {
      const phone = await createQuietPhone(ground.world)
      await ground.device.caller.post('/contact/add', { phone, name: 'Reader' })
      return {
        path: '/send/status',
        body: { type: 'text', text: 'open today' },
        reader: phone,
        hasEffect: () => isOnPhone(ground, phone, ({ text }) => text === 'open today'),
      }
    },
  },
  {
    name: 'POST /chat/ephemeral',
    ...sending,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/chat/ephemeral',
        body: { number, seconds: 86_400 },
        reader: number,
        hasEffect: () =>
          isOnPhone(ground, number, ({ type, seconds }) => type === 'timer' && seconds === 86_400),
      }
    },
  },
  {
    name: 'POST /message/forward',
    ...sending,
    async prepare(ground) {
      const { id } = await receiveText(ground)
      const number = await createQuietPhone(ground.world)
      return {
        path: '/message/forward',
        body: { id, number },
        reader: number,
        hasEffect: () => isOnPhone(ground, number, ({ text }) => text === 'for you'),
      }
    },
  },
  {
    name: 'POST /message/react',
    ...sending,
    async prepare(ground) {
      const { friend, id } = await receiveText(ground)
      return {
        path: '/message/react',
        body: { id, number: friend, text: '👍' },
        reader: friend,
        hasEffect: () =>
          isOnPhone(ground, friend, ({ type, target }) => type === 'reaction' && target === id),
      }
    },
  },
  {
    name: 'POST /message/pin',
    ...sending,
    async prepare(ground) {
      const { friend, id } = await receiveText(ground)
      return {
        path: '/message/pin',
        body: { id, days: 30 },
        reader: friend,
        hasEffect: () =>
          isOnPhone(
            ground,
            friend,
            ({ type, target, days }) => type === 'pin' && target === id && days === 30,
          ),
      }
    },
  },
  {
    name: 'POST /message/star',
    question: { xmlns: 'w:sync:app:state', tag: 'patch' },
    refusal: { code: 400, status: 422, error: 'operation_refused' },
    keyed: true,
    traced: false,
    async prepare(ground) {
      const { world, device } = ground
      const { friend, id } = await receiveText(ground)
      return {
        path: '/message/star',
        body: { id },
        async hasEffect() {
          const { chats } = await world.sim('GET', `/phones/${device.number}/settings`)
          const all = chats as { chat: string; starred?: string[] }[]
          return all.some(({ chat, starred }) => chat === toPersonJid(friend) && starred?.includes(id))
        },
      }
    },
  },
  { name: 'POST /message/edit', ...sending, prepare: prepareEdit },
  {
    name: 'PUT /message/edit',
    ...sending,
    prepare: async (ground) => ({ ...(await prepareEdit(ground)), method: 'PUT' }),
  },
  {
    name: 'POST /message/delete',
    ...sending,
    async prepare(ground) {
      const { friend, id } = await sendText(ground)
      return {
        path: '/message/delete',
        body: { id },
        reader: friend,
        hasEffect: () => isOnPhone(ground, friend, ({ type, target }) => type === 'revoke' && target === id),
      }
    },
  },
  {
    // The network answers neither this nor the receipts of a chat that is read, but it answers what is written behind them.
    name: 'POST /message/presence',
    question: { xmlns: 'w:p', tag: 'ping' },
    isEarlierRequest: ({ state }) => state === 'recording',
    keyed: false,
    traced: false,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/message/presence',
        body: { number, presence: 'recording' },
        async hasEffect() {
          const { entries } = await ground.world.sim('GET', `/log?number=${ground.device.number}`)
          return (entries as { state?: string }[]).some(({ state }) => state === 'recording')
        },
      }
    },
  },
  {
    name: 'POST /chat/subscribe',
    question: { xmlns: 'w:p', tag: 'ping' },
    isEarlierRequest: ({ what, state }) => what === 'presence' && state === 'subscribe',
    keyed: false,
    traced: false,
    async prepare(ground) {
      const { friend } = await receiveText(ground)
      return {
        path: '/chat/subscribe',
        body: { number: friend },
        async hasEffect() {
          const { entries } = await ground.world.sim('GET', `/log?number=${ground.device.number}`)
          const all = entries as { state?: string; to?: string }[]
          return all.some(({ state, to }) => state === 'subscribe' && to === toPersonJid(friend))
        },
      }
    },
  },
  {
    name: 'POST /chat/read',
    question: { xmlns: 'w:p', tag: 'ping' },
    isEarlierRequest: ({ what, type }) => what === 'receipt' && type === 'read',
    keyed: false,
    traced: false,
    async prepare(ground) {
      const { friend, id } = await receiveText(ground)
      return {
        path: '/chat/read',
        body: { number: friend },
        async hasEffect() {
          const { receipts } = await ground.world.sim('GET', `/receipts?number=${ground.device.number}`)
          const all = receipts as { type: string; ids: string[] }[]
          return all.some(({ type, ids }) => type === 'read' && ids.includes(id))
        },
      }
    },
  },
  {
    name: 'POST /chat/check',
    question: { xmlns: 'usync', tag: 'usync' },
    refusal: { code: 500, status: 422, error: 'operation_refused' },
    keyed: false,
    traced: false,
    looks: true,
    async prepare({ world }) {
      const friend = await createQuietPhone(world)
      return {
        path: '/chat/check',
        body: { numbers: [friend, '5511900000001'] },
        hasEffect: async (response) => response[0].isInMsgnet && !response[1].isInMsgnet,
      }
    },
  },
]
