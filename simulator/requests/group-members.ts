// Requests about group membership: members, invitations, and requests to join.
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import { freshInvite } from '../groups/founding.ts'
import { groupNode } from '../groups/group-node.ts'
import { decide, invitedBy, join } from '../groups/joining.ts'
import { type Action, changeMembers, type Verdict } from '../groups/membership.ts'
import { notifyAdmins } from '../groups/notices.ts'
import { groupAt, mustBeAdmin } from '../groups/rules.ts'
import { isGroup } from '../network/address.ts'
import { inGroup } from '../network/messages/chats.ts'
import { Refusal } from '../network/refusal.ts'
import { seconds } from '../network/stamps.ts'
import type { Group } from '../store/groups.ts'
import { within } from './groups.ts'
import { asking, type Handler, type RequestTable } from './request.ts'

export const groupMemberRequests: RequestTable = {
  'w:g2 set add': changing('add'),
  'w:g2 set remove': changing('remove'),
  'w:g2 set promote': changing('promote'),
  'w:g2 set demote': changing('demote'),

  /** With a code it reads the code's group, without one the group's code. */
  'w:g2 get invite'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    if (!isGroup(iq.attrs.to)) {
      const outline = { participants: false, description: true }
      return [groupNode(network, invitedBy(network, request.child?.attrs.code), outline)]
    }
    const group = groupAt(network, iq.attrs.to)
    mustBeAdmin(network, group, account)
    return [stanza('invite', { code: group.invite })]
  },

  /** With a code it joins the code's group, without one the group gets a new code. */
  'w:g2 set invite'(request) {
    const { account } = asking(request)
    const { network, iq } = request
    if (!isGroup(iq.attrs.to)) {
      const group = invitedBy(network, request.child?.attrs.code)
      const tag = join(network, group, account) === 'joined' ? 'group' : 'membership_approval_request'
      return [stanza(tag, { jid: group.jid })]
    }
    const group = groupAt(network, iq.attrs.to)
    mustBeAdmin(network, group, account)
    const renewed = { ...group, invite: freshInvite() }
    network.store.groups.save(renewed)
    notifyAdmins(network, renewed, account, stanza('invite', { code: renewed.invite }))
    return [stanza('invite', { code: renewed.invite })]
  },

  'w:g2 get membership_approval_requests'(request) {
    const { account, group } = within(request)
    const { network } = request
    mustBeAdmin(network, group, account)
    const requests = network.store.groups.applicants(group.jid).flatMap(({ number, at }) => {
      const applicant = network.store.accounts.find(number)
      if (applicant === undefined) return []
      const how = { request_method: 'invite_link', request_time: seconds(at) }
      return [stanza('membership_approval_request', { ...inGroup(applicant, group), ...how })]
    })
    return [stanza('membership_approval_requests', {}, requests)]
  },

  'w:g2 set membership_requests_action'(request) {
    const { account, group } = within(request)
    const [action] = children(request.child)
    const decision = action?.tag
    if (action === undefined || (decision !== 'approve' && decision !== 'reject')) throw new Refusal(400)
    const verdicts = decide(request.network, group, account, decision, jidsIn(action))
    const answered = stanza(decision, {}, verdicts.map(verdictNode(group)))
    return [stanza('membership_requests_action', {}, [answered])]
  },
}

function changing(action: Action): Handler {
  return (request) => {
    const { account } = asking(request)
    const group = groupAt(request.network, request.iq.attrs.to)
    const verdicts = changeMembers(request.network, group, account, action, jidsIn(request.child))
    return [stanza(action, {}, verdicts.map(verdictNode(group)))]
  }
}

function jidsIn(list: Stanza | undefined): string[] {
  return children(list, 'participant').map(({ attrs }) => attrs.jid ?? '')
}

/** Under the addresses of the group, whichever the request used. */
const verdictNode =
  (group: Group) =>
  ({ jid, account, code }: Verdict) => {
    const error = code === undefined ? undefined : String(code)
    return stanza('participant', { jid, ...(account && inGroup(account, group)), error })
  }
