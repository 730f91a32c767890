// Everything that is done to the account itself, and messages that are marked read by their ids.

import { makeQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { picture, refused } from './groups.ts'
import { received } from './messages.ts'
import { type Ground, person, type Row } from './row.ts'

const profileOf = ({ world, device }: Ground): Promise<Seen> =>
  world.sim('GET', `/phones/${device.number}/profile`)

const changes = { keyed: true, traced: false }
const looks = { keyed: false, traced: false, looks: true as const }

const blocking = (block: boolean): Row => ({
  ...{ name: `POST /chat/block ${block}`, question: { xmlns: 'blocklist', tag: 'set item' } },
  ...{ ...changes, refusal: refused },
  async prepare(ground) {
    const number = await makeQuietPhone(ground.world)
    if (!block) await ground.device.caller.post('/chat/block', { number, block: true })
    return {
      ...{ path: '/chat/block', body: { number, block } },
      there: async () => (await profileOf(ground)).blocked.includes(person(number)) === block,
    }
  },
})

export const account: Row[] = [
  blocking(true),
  blocking(false),
  {
    ...{ name: 'GET /chat/blocklist', question: { xmlns: 'blocklist', tag: 'get ' }, ...looks },
    refusal: refused,
    async prepare(ground) {
      const number = await makeQuietPhone(ground.world)
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { block: [number] })
      return {
        ...{ method: 'GET', path: '/chat/blocklist' },
        there: async ({ blockList }) => blockList.length > 0,
      }
    },
  },
  {
    ...{ name: 'GET /instance/privacy', question: { xmlns: 'privacy', tag: 'get privacy' }, ...looks },
    refusal: refused,
    prepare: async () => ({
      ...{ method: 'GET', path: '/instance/privacy' },
      there: async ({ groupadd }) => groupadd === 'all',
    }),
  },
  {
    ...{ name: 'POST /instance/privacy', question: { xmlns: 'privacy', tag: 'set privacy' }, ...changes },
    refusal: refused,
    async prepare(ground) {
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { privacy: { last: 'all' } })
      return {
        ...{ path: '/instance/privacy', body: { last: 'none' } },
        there: async () => (await profileOf(ground)).privacy.last === 'none',
      }
    },
  },
  {
    ...{ name: 'POST /instance/presence', question: { xmlns: 'w:p', tag: 'ping' } },
    begins: ({ what, state }) => what === 'presence' && state === 'available',
    ...{ keyed: false, traced: false },
    async prepare(ground) {
      return {
        ...{ path: '/instance/presence', body: { presence: 'available' } },
        there: async () => (await profileOf(ground)).available,
      }
    },
  },
  {
    ...{ name: 'POST /profile/name', question: { xmlns: 'w:sync:app:state', tag: 'patch' }, ...changes },
    refusal: refused,
    async prepare(ground) {
      const name = `Named ${(await makeQuietPhone(ground.world)).slice(-4)}`
      return {
        ...{ path: '/profile/name', body: { name } },
        there: async () => (await profileOf(ground)).name === name,
      }
    },
  },
  {
    ...{ name: 'POST /profile/image', question: { xmlns: 'w:profile:picture' }, ...changes },
    refusal: refused,
    async prepare(ground) {
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { picture: null })
      return {
        ...{ path: '/profile/image', body: { image: await picture('teal') } },
        there: async () => (await profileOf(ground)).picture?.width === 20,
      }
    },
  },
  {
    ...{ name: 'POST /profile/image remove', question: { xmlns: 'w:profile:picture' }, ...changes },
    refusal: refused,
    async prepare(ground) {
      await ground.device.caller.post('/profile/image', { image: await picture('red') })
      return {
        ...{ path: '/profile/image', body: { image: 'remove' } },
        there: async () => (await profileOf(ground)).picture === null,
      }
    },
  },
  {
    ...{ name: 'POST /message/markread', question: { xmlns: 'w:p', tag: 'ping' } },
    begins: ({ what, type }) => what === 'receipt' && type === 'read',
    ...{ keyed: false, traced: false },
    async prepare(ground) {
      const { id } = await received(ground)
      return {
        ...{ path: '/message/markread', body: { id: [id] } },
        async there() {
          const { receipts } = await ground.world.sim('GET', `/receipts?number=${ground.device.number}`)
          const told = receipts as { type: string; ids: string[] }[]
          return told.some(({ type, ids }) => type === 'read' && ids.includes(id))
        },
      }
    },
  },
]
