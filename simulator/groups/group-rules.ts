// Checks what an account may do in a group, and refuses the rest with the network's codes.

import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_GROUP_MEMBERS, MAX_SUBJECT } from '../network-limits.ts'
import type { Account } from '../store/account-table.ts'
import type { Group, Member } from '../store/group-table.ts'

const NOT_ADMIN = 401
const NOT_IN_GROUP = 403
const NO_GROUP = 404
const NOT_ACCEPTABLE = 406
const ONLY_ADMINS_SEND = 420

export const isFull = ({ store }: Network, { jid, most = MAX_GROUP_MEMBERS }: Group): boolean =>
  store.groups.listMembers(jid).length >= most

export function getGroup({ store }: Network, jid: string | undefined): Group {
  const group = jid === undefined ? undefined : store.groups.find(jid)
  if (group === undefined) throw new Refusal(NO_GROUP)
  return group
}

export function getMembership({ store }: Network, { jid }: Group, { number }: Account): Member {
  const member = store.groups.findMember(jid, number)
  if (member === undefined) throw new Refusal(NOT_IN_GROUP)
  return member
}

export function isAdmin({ role }: Member): boolean {
  return role !== 'member'
}

export function isLeader({ store }: Network, { jid }: Group, { number }: Account): boolean {
  const member = store.groups.findMember(jid, number)
  return member !== undefined && isAdmin(member)
}

export function checkMaySend(network: Network, group: Group, account: Account) {
  const member = getMembership(network, group, account)
  if (group.announce && !isAdmin(member)) throw new Refusal(ONLY_ADMINS_SEND)
}

export function checkAdmin(network: Network, group: Group, account: Account) {
  if (!isAdmin(getMembership(network, group, account))) throw new Refusal(NOT_ADMIN)
}

/** All members may change subject, description and picture, unless the group is locked. */
export function checkMayDescribe(network: Network, group: Group, account: Account) {
  if (group.locked) checkAdmin(network, group, account)
  else getMembership(network, group, account)
}

export function checkMayAdd(network: Network, group: Group, account: Account) {
  if (group.openAdding) getMembership(network, group, account)
  else checkAdmin(network, group, account)
}

/** Counted in code points, as people see it. */
export const isSubject = (text: string): boolean => text.trim() !== '' && [...text].length <= MAX_SUBJECT

export function validateSubject(subject: string | undefined): string {
  if (subject === undefined || !isSubject(subject)) throw new Refusal(NOT_ACCEPTABLE)
  return subject
}
