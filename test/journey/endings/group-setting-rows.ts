// Everything that is done by invitations to groups, and with how a group is set.

import { createQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import {
  createGroup,
  describeChange,
  describeQuestion,
  findRole,
  gone,
  limited,
  notAdmin,
  notInGroup,
  readGroup,
} from './group-rows.ts'
import type { Row, RowContext } from './row.ts'

/** The invitation of a group with another owner. */
async function createInvitation({ world }: RowContext): Promise<{ groupjid: string; invitecode: string }> {
  const owner = await createQuietPhone(world)
  const { jid } = await world.sim('POST', '/groups', { subject: 'Theirs', owner })
  const { invite } = await world.sim('GET', `/groups/${jid}`)
  return { groupjid: jid as string, invitecode: invite as string }
}

/** A row for a setting of a group of ours: `wish` is the body, and `isSet` says whether the group has the requested value. */
const createSettingRow = (
  path: string,
  tag: string,
  wish: object,
  refusal: NonNullable<Row['refusal']>,
  isSet: (group: Seen) => boolean,
): Row => ({
  name: `POST ${path} ${tag}`,
  ...describeChange(tag),
  refusal,
  async prepare(ground) {
    const { groupjid } = await createGroup(ground)
    if (tag.startsWith('not_') || tag.startsWith('un'))
      await ground.world.sim('PATCH', `/groups/${groupjid}`, {
        by: ground.device.number,
        announce: true,
        locked: true,
      })
    return {
      path,
      body: { groupjid, ...wish },
      hasEffect: async () => isSet(await readGroup(ground, groupjid)),
    }
  },
})

export const groupSettings: Row[] = [
  {
    name: 'POST /group/join',
    ...describeChange('invite'),
    refusal: { code: 410, status: 404, error: 'group_not_found' },
    async prepare(ground) {
      const { groupjid, invitecode } = await createInvitation(ground)
      return {
        path: '/group/join',
        body: { invitecode },
        hasEffect: async () => (await findRole(ground, groupjid, ground.device.number)) === 'member',
      }
    },
  },
  {
    name: 'POST /group/inviteInfo',
    ...describeQuestion('invite'),
    refusal: limited,
    async prepare(ground) {
      const { groupjid, invitecode } = await createInvitation(ground)
      return {
        path: '/group/inviteInfo',
        body: { invitecode },
        hasEffect: async (response) => response.JID === groupjid && response.ParticipantCount === 1,
      }
    },
  },
  {
    name: 'POST /group/resetInviteCode',
    ...describeChange('invite'),
    refusal: notAdmin,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      const { invite } = await readGroup(ground, groupjid)
      return {
        path: '/group/resetInviteCode',
        body: { groupjid },
        hasEffect: async () => (await readGroup(ground, groupjid)).invite !== invite,
      }
    },
  },
  createSettingRow('/group/updateDescription', 'description', { description: 'By us' }, gone, (group) => {
    return group.description === 'By us'
  }),
  createSettingRow(
    '/group/updateAnnounce',
    'announcement',
    { announce: true },
    notAdmin,
    ({ announce }) => announce,
  ),
  createSettingRow(
    ...(['/group/updateAnnounce', 'not_announcement', { announce: false }, notInGroup] as const),
    ({ announce }) => !announce,
  ),
  createSettingRow('/group/updateLocked', 'locked', { locked: true }, notAdmin, ({ locked }) => locked),
  createSettingRow('/group/updateLocked', 'unlocked', { locked: false }, gone, ({ locked }) => !locked),
  createSettingRow(
    ...(['/group/updateSettings', 'ephemeral', { ephemeral: 86_400 }, notAdmin] as const),
    ({ ephemeral }) => ephemeral === 86_400,
  ),
  createSettingRow(
    ...(['/group/updateSettings', 'membership_approval_mode', { joinApproval: true }, notAdmin] as const),
    ({ approval }) => approval,
  ),
  {
    name: 'POST /group/requests',
    ...describeQuestion('membership_approval_requests'),
    refusal: notAdmin,
    async prepare(ground) {
      const { groupjid } = await createGroup(ground)
      return {
        path: '/group/requests',
        body: { groupjid },
        hasEffect: async (response) => response.requests.length === 0,
      }
    },
  },
]
