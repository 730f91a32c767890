// Everything that a group is asked for, and everything that is done to one; and the one thing that is done to a call.

import sharp from 'sharp'
import { createQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { until } from '../../until.ts'
import { isOnPhone, type Row, type RowContext, toPersonJid } from './row.ts'

export const describeChange = (tag: string) => ({
  question: { xmlns: 'w:g2', tag },
  keyed: true,
  traced: false,
})
export const describeQuestion = (tag: string) => ({
  question: { xmlns: 'w:g2', tag },
  keyed: false,
  traced: false,
  looks: true as const,
})
export const limited = { code: 429, status: 429, error: 'rate_limited' }
export const notAdmin = { code: 401, status: 403, error: 'not_admin' }
export const gone = { code: 404, status: 404, error: 'group_not_found' }
export const notInGroup = { code: 403, status: 403, error: 'not_in_group' }
export const refused = { code: 406, status: 422, error: 'operation_refused' }

export const readGroup = ({ world }: RowContext, groupjid: string): Promise<Seen> =>
  world.sim('GET', `/groups/${groupjid}`)

/** A group of ours with one more person in it. */
export async function createGroup({
  world,
  device,
}: RowContext): Promise<{ groupjid: string; friend: string }> {
  const friend = await createQuietPhone(world)
  const { body } = await device.caller.post('/group/create', { name: 'Before', participants: [friend] })
  return { groupjid: body.JID, friend }
}

export const findRole = async (
  ground: RowContext,
  groupjid: string,
  number: string,
): Promise<string | undefined> =>
  (await readGroup(ground, groupjid)).participants.find(({ jid }: Seen) => jid === toPersonJid(number))?.role

/** `role`: the role of the member after the change; `before`: the changes that lead up to it. */
const createMemberRow = (
  action: string,
  role: string | undefined,
  before: string[],
  refusal: Row['refusal'],
): Row => ({
  name: `POST /group/updateParticipants ${action}`,
  ...describeChange(action),
  ...(refusal && { refusal }),
  async prepare(ground) {
    const { groupjid } = await createGroup(ground)
    const other = await createQuietPhone(ground.world)
    const path = '/group/updateParticipants'
    const createChange = (action: string) => ({ groupjid, action, participants: [other] })
    for (const earlier of before) await ground.device.caller.post(path, createChange(earlier))
    return {
      path,
      body: createChange(action),
      hasEffect: async () => (await findRole(ground, groupjid, other)) === role,
    }
  },
})

/** A person has asked to join. */
const createDecisionRow = (action: 'approve' | 'reject', role: string | undefined): Row => ({
  name: `POST /group/updateParticipants ${action}`,
  ...describeChange('membership_requests_action'),
  refusal: notAdmin,
  async prepare(ground) {
    const { world, device } = ground
    const { groupjid } = await createGroup(ground)
    const other = await createQuietPhone(world)
    await world.sim('PATCH', `/groups/${groupjid}`, { by: device.number, approval: true })
    await world.sim('POST', `/groups/${groupjid}/participants`, { action: 'join', by: other })
    return {
      path: '/group/updateParticipants',
      body: { groupjid, action, participants: [other] },
      async hasEffect() {
        const { applicants } = await readGroup(ground, groupjid)
        return applicants.length === 0 && (await findRole(ground, groupjid, other)) === role
      },
    }
  },
})

const pictures = { question: { xmlns: 'w:profile:picture' }, keyed: true, traced: false }
export const drawPicture = async (background: string): Promise<string> => {
  const image = sharp({ create: { width: 20, height: 20, channels: 3, background } })
  return (await image.png().toBuffer()).toString('base64')
}

export const groups: Row[] = [
  {
    name: 'POST /group/create',
    ...describeChange('create'),
    refusal: limited,
    async prepare({ world, device }) {
      const name = `Founded for ${await createQuietPhone(world)}`
      return {
        path: '/group/create',
        body: { name, participants: [await createQuietPhone(world)] },
        hasEffect: async () => (await device.caller.get('/group/list?force=true')).text.includes(name),
      }
    },
  },
  {
    name: 'POST /send/text to a group',
    question: { tag: 'message' },
    refusal: { code: 479, status: 422, error: 'operation_refused' },
    keyed: true,
    traced: true,
    async prepare(ground) {
      const { groupjid, friend } = await createGroup(ground)
      return {
        path: '/send/text',
        body: { number: groupjid, text: 'to all' },
        reader: friend,
        hasEffect: () =>
          isOnPhone(ground, friend, ({ text, chat }) => text === 'to all' && chat === groupjid),
      }
    },
  },
  createMemberRow('add', 'member', [], notAdmin),
  createMemberRow('remove', undefined, ['add'], notAdmin),
  createMemberRow('promote', 'admin', ['add'], notInGroup),
  createMemberRow('demote', 'member', ['add', 'promote'], refused),
  createDecisionRow('approve', 'member'),
  createDecisionRow('reject', undefined),
  {
    name: 'POST /group/updateName',
    ...describeChange('subject'),
    refusal: gone,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/updateName',
        body: { groupjid, name: 'After' },
        hasEffect: async () => (await readGroup(ground, groupjid)).subject === 'After',
      }
    },
  },
  {
    name: 'POST /group/updateImage',
    ...pictures,
    refusal: notInGroup,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/updateImage',
        body: { groupjid, image: await drawPicture('teal') },
        hasEffect: async () => (await readGroup(ground, groupjid)).picture?.width === 20,
      }
    },
  },
  {
    name: 'POST /group/updateImage remove',
    ...pictures,
    refusal: refused,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      await ground.device.caller.post('/group/updateImage', { groupjid, image: await drawPicture('red') })
      return {
        path: '/group/updateImage',
        body: { groupjid, image: 'remove' },
        hasEffect: async () => (await readGroup(ground, groupjid)).picture === null,
      }
    },
  },
  {
    name: 'POST /group/leave',
    ...describeChange('leave'),
    refusal: notInGroup,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/leave',
        body: { groupjid },
        hasEffect: async () => (await findRole(ground, groupjid, ground.device.number)) === undefined,
      }
    },
  },
  {
    name: 'GET /group/list force',
    ...describeQuestion('participating'),
    refusal: limited,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        method: 'GET',
        path: '/group/list?force=true',
        hasEffect: async (response) => response.groups.some(({ JID }: Seen) => JID === groupjid),
      }
    },
  },
  {
    name: 'POST /group/info force',
    ...describeQuestion('query'),
    refusal: gone,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/info',
        body: { groupjid, force: true },
        hasEffect: async (response) => response.Name === 'Before' && response.ParticipantCount === 2,
      }
    },
  },
  {
    name: 'POST /group/info getInviteLink',
    ...describeQuestion('invite'),
    refusal: notAdmin,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/info',
        body: { groupjid, getInviteLink: true },
        hasEffect: async (response) => response.invite_link.startsWith('https://'),
      }
    },
  },
  {
    name: 'POST /call/reject',
    kind: 'calls',
    question: { tag: 'call' },
    refusal: { code: 403, status: 422, error: 'operation_refused' },
    keyed: true,
    traced: false,
    async prepare({ world, device }) {
      const from = await createQuietPhone(world)
      const { callId } = await world.sim('POST', '/calls', { from, to: device.number })
      await until(async () => (await device.caller.get('/call/list')).text.includes(callId as string))
      return {
        path: '/call/reject',
        body: { id: callId },
        hasEffect: async () => (await world.sim('GET', `/calls/${callId}`)).state === 'reject',
      }
    },
  },
]
