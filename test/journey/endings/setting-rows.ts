// Everything that is done to the settings which the account's devices have in common.

import { createQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { until } from '../../until.ts'
import { refused } from './group-rows.ts'
import { type Row, type RowContext, toPersonJid } from './row.ts'

const changes = {
  question: { xmlns: 'w:sync:app:state', tag: 'patch' },
  keyed: true,
  traced: false,
  refusal: refused,
}

const readSettings = ({ world, device }: RowContext): Promise<Seen> =>
  world.sim('GET', `/phones/${device.number}/settings`)

const createChatRow = (path: string, wish: object, isSet: (chat: Seen) => boolean, before?: object): Row => ({
  name: `POST ${path} ${JSON.stringify(wish)}`,
  ...changes,
  async prepare(ground) {
    const number = await createQuietPhone(ground.world)
    if (before) await ground.device.caller.post(path, { number, ...before })
    return {
      path,
      body: { number, ...wish },
      async hasEffect() {
        const { chats } = await readSettings(ground)
        return isSet(chats.find(({ chat }: Seen) => chat === toPersonJid(number)) ?? {})
      },
    }
  },
})

async function createLabel(ground: RowContext): Promise<string> {
  const { body } = await ground.device.caller.post('/label/edit', { name: 'Before' })
  return /\d+/.exec(body.response)?.[0] ?? ''
}

export const settings: Row[] = [
  createChatRow('/chat/archive', { archive: true }, ({ archived }) => archived === true),
  createChatRow('/chat/archive', { archive: false }, ({ archived }) => archived === false, { archive: true }),
  createChatRow('/chat/pin', { pin: true }, ({ pinned }) => pinned === true),
  createChatRow('/chat/pin', { pin: false }, ({ pinned }) => pinned === false, { pin: true }),
  createChatRow('/chat/mute', { muteEndTime: -1 }, ({ mutedUntil }) => mutedUntil === -1),
  createChatRow('/chat/mute', { muteEndTime: 0 }, ({ mutedUntil }) => mutedUntil === null, {
    muteEndTime: 8,
  }),
  createChatRow('/chat/delete', { deleteChatWhatsApp: true }, ({ deletedAt }) => deletedAt !== undefined),
  createChatRow('/chat/delete', { clearChatWhatsApp: true }, ({ clearedAt }) => clearedAt !== undefined),
  {
    name: 'POST /contact/add',
    ...changes,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      return {
        path: '/contact/add',
        body: { number, name: 'Anna Alves' },
        hasEffect: async () =>
          (await readSettings(ground)).contacts.some(({ jid }: Seen) => jid === toPersonJid(number)),
      }
    },
  },
  {
    name: 'POST /contact/remove',
    ...changes,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      await ground.device.caller.post('/contact/add', { number, name: 'Anna Alves' })
      return {
        path: '/contact/remove',
        body: { number },
        hasEffect: async () =>
          !(await readSettings(ground)).contacts.some(({ jid }: Seen) => jid === toPersonJid(number)),
      }
    },
  },
  {
    name: 'POST /label/edit',
    ...changes,
    async prepare(ground) {
      const labelid = await createLabel(ground)
      return {
        path: '/label/edit',
        body: { labelid, name: 'After' },
        hasEffect: async () =>
          (await readSettings(ground)).labels.some(
            (one: Seen) => one.labelid === labelid && one.name === 'After',
          ),
      }
    },
  },
  {
    name: 'POST /label/edit delete',
    ...changes,
    async prepare(ground) {
      const labelid = await createLabel(ground)
      return {
        path: '/label/edit',
        body: { labelid, delete: true },
        hasEffect: async () =>
          !(await readSettings(ground)).labels.some((one: Seen) => one.labelid === labelid),
      }
    },
  },
  {
    name: 'POST /chat/labels',
    ...changes,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      const labelid = await createLabel(ground)
      return {
        path: '/chat/labels',
        body: { number, add_labelid: labelid },
        hasEffect: async () =>
          (await readSettings(ground)).labels.some(({ chats }: Seen) => chats.includes(toPersonJid(number))),
      }
    },
  },
  {
    name: 'POST /chat/details',
    question: { xmlns: 'w:profile:picture', tag: 'get picture' },
    keyed: false,
    traced: false,
    looks: true,
    refusal: refused,
    async prepare({ world, device }) {
      const number = await createQuietPhone(world)
      const { id } = await world.sim('POST', '/messages', { from: number, to: device.number, text: 'hello' })
      await until(async () => (await device.caller.post('/message/find', { id })).body.messages.length === 1)
      return {
        path: '/chat/details',
        body: { number },
        hasEffect: async (response) => response.id === toPersonJid(number) && response.unreadCount === 1,
      }
    },
  },
]
