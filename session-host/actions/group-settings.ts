// Actions on group invitations and group settings.

import { done, refused } from '../../shared/wire/outcome.ts'
import type { Answer, Connection, GroupSettings, NetworkGroup } from '../driver/driver.ts'
import { applied, nothing } from '../sessions/group-changes.ts'
import { groupRecord } from '../sessions/group-reporting.ts'
import type { ActionContext, ActionTable } from './action.ts'
import { groupRefusal, inviteRefusal, refusalOfKnown } from './group-refusals.ts'

export type GroupSetting =
  | 'group.join'
  | 'group.inviteInfo'
  | 'group.resetInviteCode'
  | 'group.updateDescription'
  | 'group.updateAnnounce'
  | 'group.updateLocked'

export const groupSettingActions: Pick<ActionTable<'group'>, GroupSetting> = {
  async 'group.join'({ session, network, deadline }, { invitecode }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    const answer = await network.groups.join(invitecode, deadline)
    if (answer.kind !== 'done') return inviteRefusal(answer)
    const { jid, applied } = answer.value
    const whole = applied ? undefined : await network.groups.one(jid, deadline)
    if (whole?.kind === 'done') {
      await groups.keep(whole.value)
      const group = groupRecord(whole.value, groups.isOwn)
      return done({ response: 'Group joined', group, needs_refresh: false })
    }
    // The join is done. If the group cannot be read yet, its outline is returned.
    const outline = await network.groups.invited(invitecode, deadline)
    const { group, size } = outline.kind === 'done' ? outline.value : { group: { ...unseen, jid }, size: 0 }
    return done({
      response: applied ? 'The admins of the group have been asked' : 'Group joined',
      group: groupRecord(group, groups.isOwn, { size }),
      needs_refresh: true,
    })
  },

  async 'group.inviteInfo'({ session, network, deadline }, { invitecode }) {
    if (!network) return refused('not_connected')
    const answer = await network.groups.invited(invitecode, deadline)
    if (answer.kind !== 'done') return inviteRefusal(answer)
    const { group, size } = answer.value
    return done(groupRecord(group, session.groups.isOwn, { size }))
  },

  async 'group.resetInviteCode'({ session, network, deadline }, { groupjid }) {
    const { groups } = session
    if (!network) return refused('not_connected')
    const known = await groups.ready(network, groupjid, deadline)
    if (known.kind !== 'done') return groupRefusal(known)
    const link = await network.groups.resetInvite(groupjid, deadline)
    if (link.kind !== 'done') return refusalOfKnown(session, groupjid, link)
    const group = groupRecord(known.value, groups.isOwn, { inviteLink: link.value })
    return done({ InviteLink: link.value, group, needs_refresh: false })
  },

  'group.updateDescription': (context, { groupjid, description }) =>
    set(context, groupjid, { topic: description }, 'Group description updated', (network, deadline) =>
      network.groups.describe(groupjid, description, deadline),
    ),

  'group.updateAnnounce': (context, { groupjid, announce }) =>
    set(context, groupjid, { announce }, 'Group setting updated', (network, deadline) =>
      network.groups.announce(groupjid, announce, deadline),
    ),

  'group.updateLocked': (context, { groupjid, locked }) =>
    set(context, groupjid, { locked }, 'Group setting updated', (network, deadline) =>
      network.groups.lock(groupjid, locked, deadline),
    ),
}

async function set(
  { session, network, deadline }: ActionContext,
  groupjid: string,
  settings: Partial<GroupSettings>,
  response: string,
  ask: (network: Connection, deadline: AbortSignal) => Promise<Answer>,
) {
  const { groups } = session
  if (!network) return refused('not_connected')
  // Read before the change, because a failure after it would hide that the change is done.
  const known = await groups.ready(network, groupjid, deadline)
  if (known.kind !== 'done') return groupRefusal(known)
  const answer = await ask(network, deadline)
  if (answer.kind !== 'done') return refusalOfKnown(session, groupjid, answer)
  const change = { ...nothing, jid: groupjid, settings }
  await groups.apply(change)
  return done({
    response,
    group: groupRecord(applied(known.value, change), groups.isOwn),
    needs_refresh: false,
  })
}

/** A group of which only the id is known. */
const unseen: Omit<NetworkGroup, 'jid'> = {
  ...{ owner: { id: '', pn: '', lid: '' }, subject: '', topic: '', created: 0 },
  ...{ locked: false, announce: false, ephemeral: 0, joinApproval: false },
  ...{ memberAddMode: 'admin_add', addressing: 'lid', members: [] },
}
