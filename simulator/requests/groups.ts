// Requests about whole groups: lists, reads, creates and leaves them.
import { child, children, type Stanza, stanza } from '../codec/stanza.ts'
import { found } from '../groups/founding.ts'
import { groupNode } from '../groups/group-node.ts'
import { depart } from '../groups/leaving.ts'
import { mayBeAddedBy } from '../groups/membership.ts'
import { groupAt, membership } from '../groups/rules.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { asking, type Request, type RequestTable } from './request.ts'

export const groupRequests: RequestTable = {
  'w:g2 get participating'(request) {
    const { account } = asking(request)
    const { network } = request
    const wanted = {
      participants: child(request.child, 'participants') !== undefined,
      description: child(request.child, 'description') !== undefined,
    }
    const groups = network.store.groups
      .of(account.number)
      .map((jid) => groupNode(network, groupAt(network, jid), wanted))
    return [stanza('groups', {}, groups)]
  },

  'w:g2 get query'(request) {
    const { group } = within(request)
    return [groupNode(request.network, group)]
  },

  'w:g2 set create'(request) {
    const { account } = asking(request)
    const { network } = request
    const { subject = '' } = request.child?.attrs ?? {}
    const wanted = children(request.child, 'participant').map(({ attrs }) => attrs.jid ?? '')
    if (wanted.length === 0) throw new Refusal(400)
    const asked = wanted.map((jid) => ({ jid, ...judged(request, account, jid) }))
    const members = asked.flatMap((one) => (one.member ? [one.member] : []))
    const group = found(network, account, { subject, members })
    // Who can't be in it is no reason against the group; he is named with it.
    const missing = asked.flatMap(({ jid, error }) => (error ? [stanza('participant', { jid, error })] : []))
    return [groupNode(network, group, undefined, missing)]
  },

  'w:g2 set leave'(request) {
    const { account } = asking(request)
    const { network } = request
    const ids = children(request.child, 'group').map(({ attrs }) => attrs.id)
    if (ids.length === 0) throw new Refusal(400)
    return [stanza('leave', {}, ids.map(leave))]

    function leave(id: string | undefined): Stanza {
      const group = id === undefined ? undefined : network.store.groups.find(id)
      const member = group && network.store.groups.member(group.jid, account.number)
      if (group === undefined || member === undefined) return stanza('group', { id, error: '404' })
      depart(network, group, account, [account])
      return stanza('group', { id })
    }
  },
}

/** The group that a request is sent to, if its sender is a member. */
export function within(request: Request): { group: Group } & ReturnType<typeof asking> {
  const who = asking(request)
  const group = groupAt(request.network, request.iq.attrs.to)
  membership(request.network, group, who.account)
  return { ...who, group }
}

function judged({ network }: Request, founder: Account, jid: string): { member?: Account; error?: string } {
  const address = parseAddress(jid)
  if (address === undefined) throw new Refusal(400)
  const account = accountAt(network.store, address)
  if (account === undefined) return { error: '404' }
  return mayBeAddedBy(network, account, founder) ? { member: account } : { error: '403' }
}
