// Everything that a group is asked for, and everything that is done to one; and the one thing that is done to a call.

import sharp from 'sharp'
import { makeQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { until } from '../../until.ts'
import { type Ground, onPhone, person, type Row } from './row.ts'

export const changing = (tag: string) => ({ question: { xmlns: 'w:g2', tag }, keyed: true, traced: false })
export const asking = (tag: string) => ({
  ...{ question: { xmlns: 'w:g2', tag }, keyed: false, traced: false },
  looks: true as const,
})
export const limited = { code: 429, status: 429, error: 'rate_limited' }
export const notAdmin = { code: 401, status: 403, error: 'not_admin' }
export const gone = { code: 404, status: 404, error: 'group_not_found' }
export const notInGroup = { code: 403, status: 403, error: 'not_in_group' }
export const refused = { code: 406, status: 422, error: 'operation_refused' }

export const ofSim = ({ world }: Ground, groupjid: string): Promise<Seen> =>
  world.sim('GET', `/groups/${groupjid}`)

/** A group of ours with one more person in it. */
export async function founded({ world, device }: Ground): Promise<{ groupjid: string; friend: string }> {
  const friend = await makeQuietPhone(world)
  const { body } = await device.caller.post('/group/create', { name: 'Before', participants: [friend] })
  return { groupjid: body.JID, friend }
}

export const roleOf = async (ground: Ground, groupjid: string, number: string): Promise<string | undefined> =>
  (await ofSim(ground, groupjid)).participants.find(({ jid }: Seen) => jid === person(number))?.role

/** `role`: what somebody is in the group once the change is done; `before`: the changes that lead up to it. */
const memberRow = (
  action: string,
  role: string | undefined,
  before: string[],
  refusal: Row['refusal'],
): Row => ({
  ...{ name: `POST /group/updateParticipants ${action}`, ...changing(action) },
  ...(refusal && { refusal }),
  async prepare(ground) {
    const { groupjid } = await founded(ground)
    const other = await makeQuietPhone(ground.world)
    const path = '/group/updateParticipants'
    const change = (action: string) => ({ groupjid, action, participants: [other] })
    for (const earlier of before) await ground.device.caller.post(path, change(earlier))
    return {
      ...{ path, body: change(action) },
      there: async () => (await roleOf(ground, groupjid, other)) === role,
    }
  },
})

/** Somebody waits to be let in. */
const decidingRow = (action: 'approve' | 'reject', role: string | undefined): Row => ({
  ...{ name: `POST /group/updateParticipants ${action}`, ...changing('membership_requests_action') },
  refusal: notAdmin,
  async prepare(ground) {
    const { world, device } = ground
    const { groupjid } = await founded(ground)
    const other = await makeQuietPhone(world)
    await world.sim('PATCH', `/groups/${groupjid}`, { by: device.number, approval: true })
    await world.sim('POST', `/groups/${groupjid}/participants`, { action: 'join', by: other })
    return {
      ...{ path: '/group/updateParticipants', body: { groupjid, action, participants: [other] } },
      async there() {
        const { applicants } = await ofSim(ground, groupjid)
        return applicants.length === 0 && (await roleOf(ground, groupjid, other)) === role
      },
    }
  },
})

const pictures = { question: { xmlns: 'w:profile:picture' }, keyed: true, traced: false }
export const picture = async (background: string): Promise<string> => {
  const image = sharp({ create: { width: 20, height: 20, channels: 3, background } })
  return (await image.png().toBuffer()).toString('base64')
}

export const groups: Row[] = [
  {
    ...{ name: 'POST /group/create', ...changing('create'), refusal: limited },
    async prepare({ world, device }) {
      const name = `Founded for ${await makeQuietPhone(world)}`
      return {
        ...{ path: '/group/create', body: { name, participants: [await makeQuietPhone(world)] } },
        there: async () => (await device.caller.get('/group/list?force=true')).text.includes(name),
      }
    },
  },
  {
    ...{ name: 'POST /send/text to a group', question: { tag: 'message' } },
    ...{ refusal: { code: 479, status: 422, error: 'operation_refused' }, keyed: true, traced: true },
    async prepare(ground) {
      const { groupjid, friend } = await founded(ground)
      return {
        ...{ path: '/send/text', body: { number: groupjid, text: 'to all' }, reader: friend },
        there: () => onPhone(ground, friend, ({ text, chat }) => text === 'to all' && chat === groupjid),
      }
    },
  },
  memberRow('add', 'member', [], notAdmin),
  memberRow('remove', undefined, ['add'], notAdmin),
  memberRow('promote', 'admin', ['add'], notInGroup),
  memberRow('demote', 'member', ['add', 'promote'], refused),
  decidingRow('approve', 'member'),
  decidingRow('reject', undefined),
  {
    ...{ name: 'POST /group/updateName', ...changing('subject'), refusal: gone },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      return {
        ...{ path: '/group/updateName', body: { groupjid, name: 'After' } },
        there: async () => (await ofSim(ground, groupjid)).subject === 'After',
      }
    },
  },
  {
    ...{ name: 'POST /group/updateImage', ...pictures, refusal: notInGroup },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      return {
        ...{ path: '/group/updateImage', body: { groupjid, image: await picture('teal') } },
        there: async () => (await ofSim(ground, groupjid)).picture?.width === 20,
      }
    },
  },
  {
    ...{ name: 'POST /group/updateImage remove', ...pictures, refusal: refused },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      await ground.device.caller.post('/group/updateImage', { groupjid, image: await picture('red') })
      return {
        ...{ path: '/group/updateImage', body: { groupjid, image: 'remove' } },
        there: async () => (await ofSim(ground, groupjid)).picture === null,
      }
    },
  },
  {
    ...{ name: 'POST /group/leave', ...changing('leave'), refusal: notInGroup },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      return {
        ...{ path: '/group/leave', body: { groupjid } },
        there: async () => (await roleOf(ground, groupjid, ground.device.number)) === undefined,
      }
    },
  },
  {
    ...{ name: 'GET /group/list force', ...asking('participating'), refusal: limited },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      return {
        ...{ method: 'GET', path: '/group/list?force=true' },
        there: async (answer) => answer.groups.some(({ JID }: Seen) => JID === groupjid),
      }
    },
  },
  {
    ...{ name: 'POST /group/info force', ...asking('query'), refusal: gone },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      return {
        ...{ path: '/group/info', body: { groupjid, force: true } },
        there: async (answer) => answer.Name === 'Before' && answer.ParticipantCount === 2,
      }
    },
  },
  {
    ...{ name: 'POST /group/info getInviteLink', ...asking('invite'), refusal: notAdmin },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      return {
        ...{ path: '/group/info', body: { groupjid, getInviteLink: true } },
        there: async (answer) => answer.invite_link.startsWith('https://'),
      }
    },
  },
  {
    ...{ name: 'POST /call/reject', kind: 'calls', question: { tag: 'call' } },
    ...{ refusal: { code: 403, status: 422, error: 'operation_refused' }, keyed: true, traced: false },
    async prepare({ world, device }) {
      const from = await makeQuietPhone(world)
      const { callId } = await world.sim('POST', '/calls', { from, to: device.number })
      await until(async () => (await device.caller.get('/call/list')).text.includes(callId as string))
      return {
        ...{ path: '/call/reject', body: { id: callId } },
        there: async () => (await world.sim('GET', `/calls/${callId}`)).state === 'reject',
      }
    },
  },
]
