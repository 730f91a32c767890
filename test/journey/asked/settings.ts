// Everything that is done to the settings which the account's devices have in common.

import { makeQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { until } from '../../until.ts'
import { refused } from './groups.ts'
import { type Ground, person, type Row } from './row.ts'

const changes = {
  ...{ question: { xmlns: 'w:sync:app:state', tag: 'patch' }, keyed: true, traced: false },
  refusal: refused,
}

const settingsOf = ({ world, device }: Ground): Promise<Seen> =>
  world.sim('GET', `/phones/${device.number}/settings`)

const chatRow = (path: string, wish: object, isSet: (chat: Seen) => boolean, before?: object): Row => ({
  ...{ name: `POST ${path} ${JSON.stringify(wish)}`, ...changes },
  async prepare(ground) {
    const number = await makeQuietPhone(ground.world)
    if (before) await ground.device.caller.post(path, { number, ...before })
    return {
      ...{ path, body: { number, ...wish } },
      async there() {
        const { chats } = await settingsOf(ground)
        return isSet(chats.find(({ chat }: Seen) => chat === person(number)) ?? {})
      },
    }
  },
})

async function labelled(ground: Ground): Promise<string> {
  const { body } = await ground.device.caller.post('/label/edit', { name: 'Before' })
  return /\d+/.exec(body.response)?.[0] ?? ''
}

export const settings: Row[] = [
  chatRow('/chat/archive', { archive: true }, ({ archived }) => archived === true),
  chatRow('/chat/archive', { archive: false }, ({ archived }) => archived === false, { archive: true }),
  chatRow('/chat/pin', { pin: true }, ({ pinned }) => pinned === true),
  chatRow('/chat/pin', { pin: false }, ({ pinned }) => pinned === false, { pin: true }),
  chatRow('/chat/mute', { muteEndTime: -1 }, ({ mutedUntil }) => mutedUntil === -1),
  chatRow('/chat/mute', { muteEndTime: 0 }, ({ mutedUntil }) => mutedUntil === null, { muteEndTime: 8 }),
  chatRow('/chat/delete', { deleteChatWhatsApp: true }, ({ deletedAt }) => deletedAt !== undefined),
  chatRow('/chat/delete', { clearChatWhatsApp: true }, ({ clearedAt }) => clearedAt !== undefined),
  {
    ...{ name: 'POST /contact/add', ...changes },
    async prepare(ground) {
      const number = await makeQuietPhone(ground.world)
      return {
        ...{ path: '/contact/add', body: { number, name: 'Anna Alves' } },
        there: async () =>
          (await settingsOf(ground)).contacts.some(({ jid }: Seen) => jid === person(number)),
      }
    },
  },
  {
    ...{ name: 'POST /contact/remove', ...changes },
    async prepare(ground) {
      const number = await makeQuietPhone(ground.world)
      await ground.device.caller.post('/contact/add', { number, name: 'Anna Alves' })
      return {
        ...{ path: '/contact/remove', body: { number } },
        there: async () =>
          !(await settingsOf(ground)).contacts.some(({ jid }: Seen) => jid === person(number)),
      }
    },
  },
  {
    ...{ name: 'POST /label/edit', ...changes },
    async prepare(ground) {
      const labelid = await labelled(ground)
      return {
        ...{ path: '/label/edit', body: { labelid, name: 'After' } },
        there: async () =>
          (await settingsOf(ground)).labels.some(
            (one: Seen) => one.labelid === labelid && one.name === 'After',
          ),
      }
    },
  },
  {
    ...{ name: 'POST /label/edit delete', ...changes },
    async prepare(ground) {
      const labelid = await labelled(ground)
      return {
        ...{ path: '/label/edit', body: { labelid, delete: true } },
        there: async () => !(await settingsOf(ground)).labels.some((one: Seen) => one.labelid === labelid),
      }
    },
  },
  {
    ...{ name: 'POST /chat/labels', ...changes },
    async prepare(ground) {
      const number = await makeQuietPhone(ground.world)
      const labelid = await labelled(ground)
      return {
        ...{ path: '/chat/labels', body: { number, add_labelid: labelid } },
        there: async () =>
          (await settingsOf(ground)).labels.some(({ chats }: Seen) => chats.includes(person(number))),
      }
    },
  },
  {
    ...{ name: 'POST /chat/details', question: { xmlns: 'w:profile:picture', tag: 'get picture' } },
    ...{ keyed: false, traced: false, looks: true, refusal: refused },
    async prepare({ world, device }) {
      const number = await makeQuietPhone(world)
      const { id } = await world.sim('POST', '/messages', { from: number, to: device.number, text: 'hello' })
      await until(async () => (await device.caller.post('/message/find', { id })).body.messages.length === 1)
      return {
        ...{ path: '/chat/details', body: { number } },
        there: async (answer) => answer.id === person(number) && answer.unreadCount === 1,
      }
    },
  },
]
