// Checks who may do what in a group, and refuses the others with the network's codes.
import type { Network } from '../network/network.ts'
import { Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import type { Group, Member } from '../store/groups.ts'

export const MOST_MEMBERS = 1_024
const LONGEST_SUBJECT = 100
export const LONGEST_DESCRIPTION = 2_048

const NOT_ADMIN = 401
const NOT_IN_GROUP = 403
const NO_GROUP = 404
const NOT_ACCEPTABLE = 406
const ONLY_ADMINS_SEND = 420

export const isFull = ({ store }: Network, { jid, most = MOST_MEMBERS }: Group): boolean =>
  store.groups.members(jid).length >= most

export function groupAt({ store }: Network, jid: string | undefined): Group {
  const group = jid === undefined ? undefined : store.groups.find(jid)
  if (group === undefined) throw new Refusal(NO_GROUP)
  return group
}

export function membership({ store }: Network, { jid }: Group, { number }: Account): Member {
  const member = store.groups.member(jid, number)
  if (member === undefined) throw new Refusal(NOT_IN_GROUP)
  return member
}

export function isAdmin({ role }: Member): boolean {
  return role !== 'member'
}

export function isLeader({ store }: Network, { jid }: Group, { number }: Account): boolean {
  const member = store.groups.member(jid, number)
  return member !== undefined && isAdmin(member)
}

export function maySend(network: Network, group: Group, account: Account) {
  const member = membership(network, group, account)
  if (group.announce && !isAdmin(member)) throw new Refusal(ONLY_ADMINS_SEND)
}

export function mustBeAdmin(network: Network, group: Group, account: Account) {
  if (!isAdmin(membership(network, group, account))) throw new Refusal(NOT_ADMIN)
}

/** All members may change subject, description and picture, unless the group is locked. */
export function mayDescribe(network: Network, group: Group, account: Account) {
  if (group.locked) mustBeAdmin(network, group, account)
  else membership(network, group, account)
}

export function mayAdd(network: Network, group: Group, account: Account) {
  if (group.openAdding) membership(network, group, account)
  else mustBeAdmin(network, group, account)
}

/** Counted in code points, as people see it. */
export const isSubject = (text: string): boolean => text.trim() !== '' && [...text].length <= LONGEST_SUBJECT

export function acceptableSubject(subject: string | undefined): string {
  if (subject === undefined || !isSubject(subject)) throw new Refusal(NOT_ACCEPTABLE)
  return subject
}
