// Requests about group membership: members, invitations, and requests to join.
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { changeMembers, type MemberAction, type MemberResult } from '../groups/change-members.ts'
import { createInviteCode } from '../groups/found-group.ts'
import { buildGroupNode } from '../groups/group-node.ts'
import { notifyAdmins } from '../groups/group-notices.ts'
import { checkAdmin, getGroup } from '../groups/group-rules.ts'
import { decideJoinRequests, findInvitedGroup, joinGroup } from '../groups/join-group.ts'
import { isGroupJid } from '../network/address.ts'
import { buildMemberAttrs } from '../network/message-chats.ts'
import { Refusal } from '../network/refusal-codes.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import type { Group } from '../store/group-table.ts'
import { requireGroupMember } from './group-iq.ts'
import { type Handler, type RequestTable, requireCompanion } from './request.ts'

export const groupMemberRequests: RequestTable = {
  'w:g2 set add': handleMemberChange('add'),
  'w:g2 set remove': handleMemberChange('remove'),
  'w:g2 set promote': handleMemberChange('promote'),
  'w:g2 set demote': handleMemberChange('demote'),

  /** With a code it reads the code's group, without one the group's code. */
  'w:g2 get invite'(request) {
    const { account } = requireCompanion(request)
    const { network, iq } = request
    if (!isGroupJid(iq.attrs.to)) {
      const outline = { participants: false, description: true }
      return [buildGroupNode(network, findInvitedGroup(network, request.child?.attrs.code), outline)]
    }
    const group = getGroup(network, iq.attrs.to)
    checkAdmin(network, group, account)
    return [buildStanza('invite', { code: group.invite })]
  },

  /** With a code it joins the code's group, without one the group gets a new code. */
  'w:g2 set invite'(request) {
    const { account } = requireCompanion(request)
    const { network, iq } = request
    if (!isGroupJid(iq.attrs.to)) {
      const group = findInvitedGroup(network, request.child?.attrs.code)
      const tag = joinGroup(network, group, account) === 'joined' ? 'group' : 'membership_approval_request'
      return [buildStanza(tag, { jid: group.jid })]
    }
    const group = getGroup(network, iq.attrs.to)
    checkAdmin(network, group, account)
    const renewed = { ...group, invite: createInviteCode() }
    network.store.groups.save(renewed)
    notifyAdmins(network, renewed, account, buildStanza('invite', { code: renewed.invite }))
    return [buildStanza('invite', { code: renewed.invite })]
  },

  'w:g2 get membership_approval_requests'(request) {
    const { account, group } = requireGroupMember(request)
    const { network } = request
    checkAdmin(network, group, account)
    const requests = network.store.groups.listApplicants(group.jid).flatMap(({ number, at }) => {
      const applicant = network.store.accounts.find(number)
      if (applicant === undefined) return []
      const how = { request_method: 'invite_link', request_time: formatSeconds(at) }
      return [buildStanza('membership_approval_request', { ...buildMemberAttrs(applicant, group), ...how })]
    })
    return [buildStanza('membership_approval_requests', {}, requests)]
  },

  'w:g2 set membership_requests_action'(request) {
    const { account, group } = requireGroupMember(request)
    const [action] = listChildren(request.child)
    const decision = action?.tag
    if (action === undefined || (decision !== 'approve' && decision !== 'reject')) throw new Refusal(400)
    const verdicts = decideJoinRequests(request.network, group, account, decision, listJids(action))
    const answered = buildStanza(decision, {}, verdicts.map(buildResultNode(group)))
    return [buildStanza('membership_requests_action', {}, [answered])]
  },
}

function handleMemberChange(action: MemberAction): Handler {
  return (request) => {
    const { account } = requireCompanion(request)
    const group = getGroup(request.network, request.iq.attrs.to)
    const verdicts = changeMembers(request.network, group, account, action, listJids(request.child))
    return [buildStanza(action, {}, verdicts.map(buildResultNode(group)))]
  }
}

function listJids(list: Stanza | undefined): string[] {
  return listChildren(list, 'participant').map(({ attrs }) => attrs.jid ?? '')
}

/** Under the addresses of the group, whichever the request used. */
const buildResultNode =
  (group: Group) =>
  ({ jid, account, code }: MemberResult) => {
    const error = code === undefined ? undefined : String(code)
    return buildStanza('participant', { jid, ...(account && buildMemberAttrs(account, group)), error })
  }
