// Everything that is done by invitations to groups, and with how a group is set.

import { makeQuietPhone } from '../../device.ts'
import type { Seen } from '../../scene.ts'
import { asking, changing, founded, gone, limited, notAdmin, notInGroup, ofSim, roleOf } from './groups.ts'
import type { Ground, Row } from './row.ts'

/** A group of somebody else's, by its invitation. */
async function invited({ world }: Ground): Promise<{ groupjid: string; invitecode: string }> {
  const owner = await makeQuietPhone(world)
  const { jid } = await world.sim('POST', '/groups', { subject: 'Theirs', owner })
  const { invite } = await world.sim('GET', `/groups/${jid}`)
  return { groupjid: jid as string, invitecode: invite as string }
}

/** A group of ours whose `setting` becomes what is asked for. */
const settingRow = (
  path: string,
  tag: string,
  wish: object,
  refusal: NonNullable<Row['refusal']>,
  isSet: (group: Seen) => boolean,
): Row => ({
  ...{ name: `POST ${path} ${tag}`, ...changing(tag), refusal },
  async prepare(ground) {
    const { groupjid } = await founded(ground)
    if (tag.startsWith('not_') || tag.startsWith('un'))
      await ground.world.sim('PATCH', `/groups/${groupjid}`, {
        ...{ by: ground.device.number, announce: true, locked: true },
      })
    return {
      ...{ path, body: { groupjid, ...wish } },
      there: async () => isSet(await ofSim(ground, groupjid)),
    }
  },
})

export const groupSettings: Row[] = [
  {
    ...{ name: 'POST /group/join', ...changing('invite') },
    refusal: { code: 410, status: 404, error: 'group_not_found' },
    async prepare(ground) {
      const { groupjid, invitecode } = await invited(ground)
      return {
        ...{ path: '/group/join', body: { invitecode } },
        there: async () => (await roleOf(ground, groupjid, ground.device.number)) === 'member',
      }
    },
  },
  {
    ...{ name: 'POST /group/inviteInfo', ...asking('invite'), refusal: limited },
    async prepare(ground) {
      const { groupjid, invitecode } = await invited(ground)
      return {
        ...{ path: '/group/inviteInfo', body: { invitecode } },
        there: async (answer) => answer.JID === groupjid && answer.ParticipantCount === 1,
      }
    },
  },
  {
    ...{ name: 'POST /group/resetInviteCode', ...changing('invite'), refusal: notAdmin },
    async prepare(ground) {
      const { groupjid } = await founded(ground)
      const { invite } = await ofSim(ground, groupjid)
      return {
        ...{ path: '/group/resetInviteCode', body: { groupjid } },
        there: async () => (await ofSim(ground, groupjid)).invite !== invite,
      }
    },
  },
  settingRow('/group/updateDescription', 'description', { description: 'By us' }, gone, (group) => {
    return group.description === 'By us'
  }),
  settingRow(
    '/group/updateAnnounce',
    'announcement',
    { announce: true },
    notAdmin,
    ({ announce }) => announce,
  ),
  settingRow(
    ...(['/group/updateAnnounce', 'not_announcement', { announce: false }, notInGroup] as const),
    ({ announce }) => !announce,
  ),
  settingRow('/group/updateLocked', 'locked', { locked: true }, notAdmin, ({ locked }) => locked),
  settingRow('/group/updateLocked', 'unlocked', { locked: false }, gone, ({ locked }) => !locked),
]
