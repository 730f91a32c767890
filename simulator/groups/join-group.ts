// Joins a group by its invite link, and approves or rejects the requests to join.
import { buildStanza } from '../codec/stanza.ts'
import { findAccount, parseAddress } from '../network/address.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import { addMembers, buildParticipant, type MemberResult } from './change-members.ts'
import { notifyAdmins } from './group-notices.ts'
import { checkAdmin, isFull } from './group-rules.ts'

const NO_APPLICANT = 404
const ALREADY_MEMBER = 409
const FULL = 419

/** No group has this code: it was revoked, or never existed. */
const GONE = 410

export function findInvitedGroup({ store }: Network, code: string | undefined): Group {
  if (code === undefined || !/^[\w-]{10,64}$/.test(code)) throw new Refusal(406)
  const group = store.groups.findByInvite(code)
  if (group === undefined) throw new Refusal(GONE)
  return group
}

/** Joins, or requests to join; the notice names the new member as its author. */
export function joinGroup(network: Network, group: Group, account: Account): 'joined' | 'applied' {
  const { groups } = network.store
  if (groups.findMember(group.jid, account.number) !== undefined) throw new Refusal(ALREADY_MEMBER)
  if (isFull(network, group)) throw new Refusal(FULL)
  if (!group.approval) {
    addMembers(network, group, account, [account], 'invite')
    return 'joined'
  }
  groups.addApplicant(group.jid, account.number)
  const request = buildStanza('created_membership_requests', { request_method: 'invite_link' }, [
    buildParticipant(group)(account),
  ])
  notifyAdmins(network, group, account, request)
  return 'applied'
}

export function decideJoinRequests(
  network: Network,
  group: Group,
  by: Account,
  decision: 'approve' | 'reject',
  jids: string[],
): MemberResult[] {
  checkAdmin(network, group, by)
  if (jids.length === 0) throw new Refusal(400)
  const { groups } = network.store
  const applicants = new Set(groups.listApplicants(group.jid).map(({ number }) => number))
  const verdicts = jids.map((jid): MemberResult => {
    const account = findAccount(network.store, parseAddress(jid))
    const applied = account !== undefined && applicants.has(account.number)
    return { jid, account, code: applied ? undefined : NO_APPLICANT }
  })
  const decided = verdicts.flatMap(({ account, code }) => (account && code === undefined ? [account] : []))
  if (decided.length === 0) return verdicts
  if (decision === 'approve') addMembers(network, group, by, decided)
  else for (const account of decided) rejectApplicant(network, group, by, account)
  return verdicts
}

function rejectApplicant(network: Network, group: Group, by: Account, account: Account) {
  network.store.groups.deleteApplicant(group.jid, account.number)
  notifyAdmins(
    network,
    group,
    by,
    buildStanza('revoked_membership_requests', {}, [buildParticipant(group)(account)]),
  )
}
