// Actions on group invitations and group settings.

import { createDoneOutcome, createRefusal } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, GroupSettings, NetworkGroup, NetworkOutcome } from '../driver/driver.ts'
import { applyGroupChange, emptyChange } from '../sessions/group-changes.ts'
import { toGroupRecord } from '../sessions/group-records.ts'
import { type ActionContext, type ActionTable, describePartialRefusal } from './action.ts'
import { refuseKnownGroup, toGroupRefusal, toInviteRefusal } from './group-refusals.ts'

export type GroupSetting =
  | 'group.join'
  | 'group.inviteInfo'
  | 'group.resetInviteCode'
  | 'group.updateDescription'
  | 'group.updateAnnounce'
  | 'group.updateLocked'
  | 'group.updateSettings'
  | 'group.requests'

export const groupSettingActions: Pick<ActionTable<'group'>, GroupSetting> = {
  async 'group.join'({ session, network, deadline }, { invitecode }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    const answer = await network.groups.joinGroup(invitecode, deadline)
    if (answer.kind !== 'done') return toInviteRefusal(answer)
    const { jid, applied } = answer.value
    const whole = applied ? undefined : await network.groups.getGroup(jid, deadline)
    if (whole?.kind === 'done') {
      await groups.storeGroup(whole.value)
      const group = toGroupRecord(whole.value, groups.isOwnMember)
      return createDoneOutcome({ response: 'Group joined', group, needs_refresh: false })
    }
    // The join is done. If the group cannot be read yet, its outline is returned.
    const outline = await network.groups.getInvitedGroup(invitecode, deadline)
    const { group, size } =
      outline.kind === 'done' ? outline.value : { group: { ...unknownGroup, jid }, size: 0 }
    return createDoneOutcome({
      response: applied ? 'The admins of the group have been asked' : 'Group joined',
      group: toGroupRecord(group, groups.isOwnMember, { size }),
      needs_refresh: true,
    })
  },

  async 'group.inviteInfo'({ session, network, deadline }, { invitecode }) {
    if (!network) return createRefusal('not_connected')
    const answer = await network.groups.getInvitedGroup(invitecode, deadline)
    if (answer.kind !== 'done') return toInviteRefusal(answer)
    const { group, size } = answer.value
    return createDoneOutcome(toGroupRecord(group, session.groups.isOwnMember, { size }))
  },

  async 'group.resetInviteCode'({ session, network, deadline }, { groupjid }) {
    const { groups } = session
    if (!network) return createRefusal('not_connected')
    const known = await groups.findOrRequest(network, groupjid, deadline)
    if (known.kind !== 'done') return toGroupRefusal(known)
    const link = await network.groups.resetInviteLink(groupjid, deadline)
    if (link.kind !== 'done') return refuseKnownGroup(session, groupjid, link)
    const group = toGroupRecord(known.value, groups.isOwnMember, { inviteLink: link.value })
    return createDoneOutcome({ InviteLink: link.value, group, needs_refresh: false })
  },

  'group.updateDescription': (context, { groupjid, description }) =>
    changeGroup(context, groupjid, { topic: description }, 'Group description updated', (network, deadline) =>
      network.groups.setDescription(groupjid, description, deadline),
    ),

  'group.updateAnnounce': (context, { groupjid, announce }) =>
    changeGroup(context, groupjid, { announce }, 'Group setting updated', (network, deadline) =>
      network.groups.setAnnounceOnly(groupjid, announce, deadline),
    ),

  'group.updateLocked': (context, { groupjid, locked }) =>
    changeGroup(context, groupjid, { locked }, 'Group setting updated', (network, deadline) =>
      network.groups.setLocked(groupjid, locked, deadline),
    ),

  async 'group.updateSettings'({ session, network, deadline }, wish) {
    const { groups } = session
    const { groupjid } = wish
    if (!network) return createRefusal('not_connected')
    const known = await groups.findOrRequest(network, groupjid, deadline)
    if (known.kind !== 'done') return toGroupRefusal(known)
    let group = known.value
    const changed: string[] = []
    for (const { name, settings, ask } of listSteps(network.groups, wish, deadline)) {
      const answer = await ask()
      if (answer.kind !== 'done') {
        const outcome = await refuseKnownGroup(session, groupjid, answer)
        const isRefused = answer.kind === 'refused' && outcome.kind === 'refused'
        return isRefused ? { ...outcome, message: describePartialRefusal(name, changed) } : outcome
      }
      const change = { ...emptyChange, jid: groupjid, settings }
      await groups.applyChange(change)
      group = applyGroupChange(group, change)
      changed.push(name)
    }
    return createDoneOutcome({
      response: 'Group settings updated',
      group: toGroupRecord(group, groups.isOwnMember),
      needs_refresh: false,
    })
  },

  async 'group.requests'({ session, network, deadline }, { groupjid }) {
    if (!network) return createRefusal('not_connected')
    const answer = await network.groups.listRequests(groupjid, deadline)
    if (answer.kind !== 'done') return refuseKnownGroup(session, groupjid, answer)
    const requests = answer.value.map(({ person: { id, pn, lid }, at, method }) => ({
      JID: pn || id,
      LID: lid,
      PhoneNumber: pn,
      RequestedAt: at,
      Method: method,
    }))
    return createDoneOutcome({ requests })
  },
}

interface SettingStep {
  name: string
  settings: Partial<GroupSettings>
  ask(): Promise<NetworkOutcome>
}

/** The network takes one setting a request. */
function listSteps(
  network: Connection['groups'],
  { groupjid, joinApproval, memberAddMode: who, ephemeral }: ActionInput<'group.updateSettings'>,
  deadline: AbortSignal,
): SettingStep[] {
  const steps: SettingStep[] = []
  if (joinApproval !== undefined)
    steps.push({
      name: 'joinApproval',
      settings: { joinApproval },
      ask: () => network.setJoinApproval(groupjid, joinApproval, deadline),
    })
  if (who !== undefined) {
    const memberAddMode = who === 'all' ? 'all_member_add' : 'admin_add'
    steps.push({
      name: 'memberAddMode',
      settings: { memberAddMode },
      ask: () => network.setMemberAddMode(groupjid, memberAddMode, deadline),
    })
  }
  if (ephemeral !== undefined)
    steps.push({
      name: 'ephemeral',
      settings: { ephemeral },
      ask: () => network.setEphemeral(groupjid, ephemeral, deadline),
    })
  return steps
}

export const setGroupTimer = (context: ActionContext, groupjid: string, ephemeral: number) =>
  changeGroup(context, groupjid, { ephemeral }, '', (network, deadline) =>
    network.groups.setEphemeral(groupjid, ephemeral, deadline),
  )

async function changeGroup(
  { session, network, deadline }: ActionContext,
  groupjid: string,
  settings: Partial<GroupSettings>,
  response: string,
  ask: (network: Connection, deadline: AbortSignal) => Promise<NetworkOutcome>,
) {
  const { groups } = session
  if (!network) return createRefusal('not_connected')
  // Read before the change, because a failure after it would hide that the change is done.
  const known = await groups.findOrRequest(network, groupjid, deadline)
  if (known.kind !== 'done') return toGroupRefusal(known)
  const answer = await ask(network, deadline)
  if (answer.kind !== 'done') return refuseKnownGroup(session, groupjid, answer)
  const change = { ...emptyChange, jid: groupjid, settings }
  await groups.applyChange(change)
  return createDoneOutcome({
    response,
    group: toGroupRecord(applyGroupChange(known.value, change), groups.isOwnMember),
    needs_refresh: false,
  })
}

/** A group of which only the id is known. */
const unknownGroup: Omit<NetworkGroup, 'jid'> = {
  owner: { id: '', pn: '', lid: '' },
  subject: '',
  topic: '',
  created: 0,
  locked: false,
  announce: false,
  ephemeral: 0,
  joinApproval: false,
  memberAddMode: 'admin_add',
  addressing: 'lid',
  members: [],
}
