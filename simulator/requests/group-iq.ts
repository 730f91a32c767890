// Requests about whole groups: lists, reads, creates and leaves them.
import { buildStanza, findChild, listChildren, type Stanza } from '../codec/stanza.ts'
import { mayBeAddedBy } from '../groups/change-members.ts'
import { createGroup } from '../groups/found-group.ts'
import { buildGroupNode } from '../groups/group-node.ts'
import { getGroup, getMembership } from '../groups/group-rules.ts'
import { removeMembers } from '../groups/leave-group.ts'
import { findAccount, parseAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { type Request, type RequestTable, requireCompanion } from './request.ts'

export const groupRequests: RequestTable = {
  'w:g2 get participating'(request) {
    const { account } = requireCompanion(request)
    const { network } = request
    const parts = {
      participants: findChild(request.child, 'participants') !== undefined,
      description: findChild(request.child, 'description') !== undefined,
    }
    const groups = network.store.groups
      .listByNumber(account.number)
      .map((jid) => buildGroupNode(network, getGroup(network, jid), parts))
    return [buildStanza('groups', {}, groups)]
  },

  'w:g2 get query'(request) {
    const { group } = requireGroupMember(request)
    return [buildGroupNode(request.network, group)]
  },

  'w:g2 set create'(request) {
    const { account } = requireCompanion(request)
    const { network } = request
    const { subject = '' } = request.child?.attrs ?? {}
    const jids = listChildren(request.child, 'participant').map(({ attrs }) => attrs.jid ?? '')
    if (jids.length === 0) throw new Refusal(400)
    const checked = jids.map((jid) => ({ jid, ...checkNewMember(request, account, jid) }))
    const members = checked.flatMap((one) => (one.member ? [one.member] : []))
    const group = createGroup(network, account, { subject, members })
    // People who cannot be members do not prevent the group; the response names them.
    const missing = checked.flatMap(({ jid, error }) =>
      error ? [buildStanza('participant', { jid, error })] : [],
    )
    return [buildGroupNode(network, group, undefined, missing)]
  },

  'w:g2 set leave'(request) {
    const { account } = requireCompanion(request)
    const { network } = request
    const ids = listChildren(request.child, 'group').map(({ attrs }) => attrs.id)
    if (ids.length === 0) throw new Refusal(400)
    return [buildStanza('leave', {}, ids.map(leaveGroup))]

    function leaveGroup(id: string | undefined): Stanza {
      const group = id === undefined ? undefined : network.store.groups.find(id)
      const member = group && network.store.groups.findMember(group.jid, account.number)
      if (group === undefined || member === undefined) return buildStanza('group', { id, error: '404' })
      removeMembers(network, group, account, [account])
      return buildStanza('group', { id })
    }
  },
}

/** The group that a request is sent to, if its sender is a member. */
export function requireGroupMember(request: Request): { group: Group } & ReturnType<typeof requireCompanion> {
  const requester = requireCompanion(request)
  const group = getGroup(request.network, request.iq.attrs.to)
  getMembership(request.network, group, requester.account)
  return { ...requester, group }
}

function checkNewMember(
  { network }: Request,
  founder: Account,
  jid: string,
): { member?: Account; error?: string } {
  const address = parseAddress(jid)
  if (address === undefined) throw new Refusal(400)
  const account = findAccount(network.store, address)
  if (account === undefined) return { error: '404' }
  return mayBeAddedBy(network, account, founder) ? { member: account } : { error: '403' }
}
