// Joins a group by its invite link, and approves or rejects the requests to join.
import { stanza } from '../codec/stanza.ts'
import { accountAt, parseAddress } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { admit, participantNode, type Verdict } from './membership.ts'
import { notifyAdmins } from './notices.ts'
import { isFull, mustBeAdmin } from './rules.ts'

const NOBODY = 404
const THERE_ALREADY = 409
const FULL = 419

/** No group has this code: it was revoked, or never existed. */
const GONE = 410

export function invitedBy({ store }: Network, code: string | undefined): Group {
  if (code === undefined || !/^[\w-]{10,64}$/.test(code)) throw new Refusal(406)
  const group = store.groups.findByInvite(code)
  if (group === undefined) throw new Refusal(GONE)
  return group
}

/** Joins, or requests to join; the notice names the new member as its author. */
export function join(network: Network, group: Group, account: Account): 'joined' | 'applied' {
  const { groups } = network.store
  if (groups.member(group.jid, account.number) !== undefined) throw new Refusal(THERE_ALREADY)
  if (isFull(network, group)) throw new Refusal(FULL)
  if (!group.approval) {
    admit(network, group, account, [account], 'invite')
    return 'joined'
  }
  groups.apply(group.jid, account.number)
  const request = stanza('created_membership_requests', { request_method: 'invite_link' }, [
    participantNode(group)(account),
  ])
  notifyAdmins(network, group, account, request)
  return 'applied'
}

export function decide(
  network: Network,
  group: Group,
  by: Account,
  decision: 'approve' | 'reject',
  jids: string[],
): Verdict[] {
  mustBeAdmin(network, group, by)
  if (jids.length === 0) throw new Refusal(400)
  const { groups } = network.store
  const applicants = new Set(groups.applicants(group.jid).map(({ number }) => number))
  const verdicts = jids.map((jid): Verdict => {
    const account = accountAt(network.store, parseAddress(jid))
    const applied = account !== undefined && applicants.has(account.number)
    return { jid, account, code: applied ? undefined : NOBODY }
  })
  const decided = verdicts.flatMap(({ account, code }) => (account && code === undefined ? [account] : []))
  if (decided.length === 0) return verdicts
  if (decision === 'approve') admit(network, group, by, decided)
  else for (const account of decided) reject(network, group, by, account)
  return verdicts
}

function reject(network: Network, group: Group, by: Account, account: Account) {
  network.store.groups.dropApplicant(group.jid, account.number)
  notifyAdmins(
    network,
    group,
    by,
    stanza('revoked_membership_requests', {}, [participantNode(group)(account)]),
  )
}
