// Everything that is done to the account itself, and messages that are marked read by their ids.

import { createQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { drawPicture, refused } from './group-rows.ts'
import { receiveText } from './message-rows.ts'
import { type Row, type RowContext, toPersonJid } from './row.ts'

const readProfile = ({ world, device }: RowContext): Promise<Seen> =>
  world.sim('GET', `/phones/${device.number}/profile`)

const changes = { keyed: true, traced: false }
const looks = { keyed: false, traced: false, looks: true as const }

const createBlockRow = (block: boolean): Row => ({
  name: `POST /chat/block ${block}`,
  question: { xmlns: 'blocklist', tag: 'set item' },
  ...changes,
  refusal: refused,
  async prepare(ground) {
    const number = await createQuietPhone(ground.world)
    if (!block) await ground.device.caller.post('/chat/block', { number, block: true })
    return {
      path: '/chat/block',
      body: { number, block },
      hasEffect: async () => (await readProfile(ground)).blocked.includes(toPersonJid(number)) === block,
    }
  },
})

export const account: Row[] = [
  createBlockRow(true),
  createBlockRow(false),
  {
    name: 'GET /chat/blocklist',
    question: { xmlns: 'blocklist', tag: 'get ' },
    ...looks,
    refusal: refused,
    async prepare(ground) {
      const number = await createQuietPhone(ground.world)
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { block: [number] })
      return {
        method: 'GET',
        path: '/chat/blocklist',
        hasEffect: async ({ blockList }) => blockList.length > 0,
      }
    },
  },
  {
    name: 'GET /instance/privacy',
    question: { xmlns: 'privacy', tag: 'get privacy' },
    ...looks,
    refusal: refused,
    prepare: async () => ({
      method: 'GET',
      path: '/instance/privacy',
      hasEffect: async ({ groupadd }) => groupadd === 'all',
    }),
  },
  {
    name: 'POST /instance/privacy',
    question: { xmlns: 'privacy', tag: 'set privacy' },
    ...changes,
    refusal: refused,
    async prepare(ground) {
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { privacy: { last: 'all' } })
      return {
        path: '/instance/privacy',
        body: { last: 'none' },
        hasEffect: async () => (await readProfile(ground)).privacy.last === 'none',
      }
    },
  },
  {
    name: 'POST /instance/presence',
    question: { xmlns: 'w:p', tag: 'ping' },
    isEarlierRequest: ({ what, state }) => what === 'presence' && state === 'available',
    keyed: false,
    traced: false,
    async prepare(ground) {
      return {
        path: '/instance/presence',
        body: { presence: 'available' },
        hasEffect: async () => (await readProfile(ground)).available,
      }
    },
  },
  {
    name: 'POST /profile/name',
    question: { xmlns: 'w:sync:app:state', tag: 'patch' },
    ...changes,
    refusal: refused,
    async prepare(ground) {
      const name = `Named ${(await createQuietPhone(ground.world)).slice(-4)}`
      return {
        path: '/profile/name',
        body: { name },
        hasEffect: async () => (await readProfile(ground)).name === name,
      }
    },
  },
  {
    name: 'GET /profile/about',
    question: { xmlns: 'usync' },
    ...looks,
    refusal: refused,
    async prepare(ground) {
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { about: 'Asked for' })
      return {
        method: 'GET',
        path: '/profile/about',
        hasEffect: async ({ about }) => about === 'Asked for',
      }
    },
  },
  {
    name: 'POST /profile/about',
    question: { xmlns: 'status', tag: 'set status' },
    ...changes,
    refusal: refused,
    async prepare(ground) {
      const about = `About ${(await createQuietPhone(ground.world)).slice(-4)}`
      return {
        path: '/profile/about',
        body: { about },
        hasEffect: async () => (await readProfile(ground)).about === about,
      }
    },
  },
  {
    name: 'POST /profile/image',
    question: { xmlns: 'w:profile:picture' },
    ...changes,
    refusal: refused,
    async prepare(ground) {
      await ground.world.sim('PATCH', `/phones/${ground.device.number}/profile`, { picture: null })
      return {
        path: '/profile/image',
        body: { image: await drawPicture('teal') },
        hasEffect: async () => (await readProfile(ground)).picture?.width === 20,
      }
    },
  },
  {
    name: 'POST /profile/image remove',
    question: { xmlns: 'w:profile:picture' },
    ...changes,
    refusal: refused,
    async prepare(ground) {
      await ground.device.caller.post('/profile/image', { image: await drawPicture('red') })
      return {
        path: '/profile/image',
        body: { image: 'remove' },
        hasEffect: async () => (await readProfile(ground)).picture === null,
      }
    },
  },
  {
    name: 'POST /message/markread',
    question: { xmlns: 'w:p', tag: 'ping' },
    isEarlierRequest: ({ what, type }) => what === 'receipt' && type === 'read',
    keyed: false,
    traced: false,
    async prepare(ground) {
      const { id } = await receiveText(ground)
      return {
        path: '/message/markread',
        body: { id: [id] },
        async hasEffect() {
          const { receipts } = await ground.world.sim('GET', `/receipts?number=${ground.device.number}`)
          const all = receipts as { type: string; ids: string[] }[]
          return all.some(({ type, ids }) => type === 'read' && ids.includes(id))
        },
      }
    },
  },
]
