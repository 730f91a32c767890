// Acts that are held before anything of their effect has left: in a delay, a look-up, an upload, an encryption.

import { randomBytes } from 'node:crypto'
import { createQuietPhone } from '../../device.ts'
import { createGroup } from './group-rows.ts'
import { pixel, receiveText } from './message-rows.ts'
import { type Logged, type RowContext, toPersonJid } from './row.ts'

/** The network leaves one request of this kind without an answer, or the act waits by itself. */
type Hold = { xmlns: string; tag?: string } | 'delay'

export interface PreparedAct {
  path: string
  body: object
  /** How many entries its effect is, beyond one. */
  effects?: number
  /** Its effect, as the network logs it. */
  isEffect?(entry: Logged): boolean
}

export interface PreparationRow {
  name: string
  hold: Hold
  /** Its message has a record, which is found by `track_id`. */
  isTracked?: true
  /** It is answered when it is stored. */
  isAsync?: true
  /** It has no effect, and no key. */
  isQuestion?: true
  prepare(ground: RowContext): Promise<PreparedAct>
}

const LOOK_UP = { xmlns: 'usync' }
const KEYS = { xmlns: 'encrypt' }
const DELAY_MS = 3000

const isMessageTo =
  (number: string) =>
  ({ what, to }: Logged): boolean =>
    what === 'message' && to === toPersonJid(number)

let tracks = 0
const track = () => ({ track_id: `held-${++tracks}` })

const createTextRow = (name: string, hold: Hold, fields: object = {}): PreparationRow => ({
  name,
  hold,
  isTracked: true,
  async prepare({ world }) {
    const number = await createQuietPhone(world)
    return {
      path: '/send/text',
      body: { number, text: 'held', ...track(), ...fields },
      isEffect: isMessageTo(number),
    }
  },
})

export const preparations: PreparationRow[] = [
  createTextRow('a text in its delay', 'delay', { delay: DELAY_MS }),
  createTextRow('a text in the look-up of its recipient', LOOK_UP),
  createTextRow('a text in the look-up of its keys', KEYS),
  {
    ...createTextRow('an unawaited text in its delay', 'delay', { delay: DELAY_MS, async: true }),
    isAsync: true,
  },
  {
    name: 'a document in its upload',
    hold: { xmlns: 'w:m' },
    isTracked: true,
    async prepare({ world }) {
      const number = await createQuietPhone(world)
      const file = randomBytes(20_000).toString('base64')
      return {
        path: '/send/media',
        body: { number, type: 'document', file, ...track() },
        isEffect: isMessageTo(number),
      }
    },
  },
  {
    name: 'an album in the look-up of its recipient',
    hold: LOOK_UP,
    async prepare({ world }) {
      const number = await createQuietPhone(world)
      const files = [pixel, pixel].map((file) => ({ type: 'image', file }))
      return { path: '/send/album', body: { number, files }, effects: 3, isEffect: isMessageTo(number) }
    },
  },
  {
    name: 'a forwarded message in the look-up of its recipient',
    hold: LOOK_UP,
    async prepare(ground) {
      const { id } = await receiveText(ground)
      const number = await createQuietPhone(ground.world)
      return { path: '/message/forward', body: { id, number }, isEffect: isMessageTo(number) }
    },
  },
  {
    name: 'a status post in the look-up of its audience',
    hold: { xmlns: 'status' },
    async prepare({ world, device }) {
      const phone = await createQuietPhone(world)
      await device.caller.post('/contact/add', { phone, name: 'Reader' })
      return {
        path: '/send/status',
        body: { type: 'text', text: 'held' },
        isEffect: ({ what, to }) => what === 'message' && to === 'status@broadcast',
      }
    },
  },
  {
    name: 'a message to a group in the look-up of keys',
    hold: KEYS,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/send/text',
        body: { number: groupjid, text: 'held' },
        isEffect: ({ what, to }) => what === 'message' && to === groupjid,
      }
    },
  },
  {
    name: "an edit in a group in the look-up of a new member's keys",
    hold: KEYS,
    async prepare(ground) {
      const { world, device } = ground
      const { groupjid } = await createGroup(ground)
      const { body: sent } = await device.caller.post('/send/text', { number: groupjid, text: 'as it was' })
      const participants = [await createQuietPhone(world)]
      await device.caller.post('/group/updateParticipants', { groupjid, action: 'add', participants })
      return {
        path: '/message/edit',
        body: { id: sent.messageid, text: 'as it is' },
        isEffect: ({ what, to }) => what === 'message' && to === groupjid,
      }
    },
  },
  {
    name: 'a description of a group, for which the present one is read',
    hold: { xmlns: 'w:g2', tag: 'query' },
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/updateDescription',
        body: { groupjid, description: 'held' },
        isEffect: ({ xmlns, tags = [] }) => xmlns === 'w:g2' && tags.includes('description'),
      }
    },
  },
  {
    name: 'a new contact in the look-up of its number',
    hold: LOOK_UP,
    async prepare({ world }) {
      const phone = await createQuietPhone(world)
      return {
        path: '/contact/add',
        body: { phone, name: 'Held' },
        isEffect: ({ xmlns, tags = [] }) => xmlns === 'w:sync:app:state' && tags.includes('patch'),
      }
    },
  },
  {
    name: 'a question about numbers',
    hold: LOOK_UP,
    isQuestion: true,
    async prepare({ world }) {
      return { path: '/chat/check', body: { numbers: [await createQuietPhone(world)] } }
    },
  },
]

/** What the network logs when the act has got to the moment in which it is held. */
export const isHeld =
  ({ hold }: PreparationRow) =>
  ({ what, xmlns, state, tags = [] }: Logged): boolean =>
    hold === 'delay'
      ? what === 'chatstate' || state === 'composing'
      : what === 'iq' && xmlns === hold.xmlns && (hold.tag === undefined || tags.includes(hold.tag))
