// Groups: their subjects, settings, members and requests to join.
import type { DatabaseSync } from 'node:sqlite'
import type { AddressForm } from './message-table.ts'
import { type Row, readInteger, readText } from './network-database.ts'

export type Role = 'member' | 'admin' | 'superadmin'
export type Member = { number: string; role: Role }
export type Applicant = { number: string; at: number }

/** A text about the group. `by` is the author's number, `at` in milliseconds. */
export type AuthoredText = { text: string; by: string; at: number }

export type Group = {
  jid: string
  /** The form of its members' addresses. */
  form: AddressForm
  subject: AuthoredText
  description?: (AuthoredText & { id: string }) | undefined
  creator: string
  createdAt: number
  /** Only admins change subject, description and picture. */
  locked: boolean
  /** Only admins send. */
  announce: boolean
  /** Every member may add others. */
  openAdding: boolean
  /** An admin has to approve people who use the invite link. */
  approval: boolean
  /** Seconds after which messages disappear; 0 for never. */
  ephemeral: number
  invite: string
  /** The maximum number of members; the network's own limit if it is missing. */
  most?: number
}

const toMember = (row: Row): Member => ({
  number: readText(row, 'number'),
  role: readText(row, 'role') as Role,
})

const prepareStatements = (database: DatabaseSync) => ({
  save: database.prepare('insert or replace into groups (jid, invite, record) values (?, ?, ?)'),
  byJid: database.prepare('select record from groups where jid = ?'),
  byInvite: database.prepare('select jid from groups where invite = ?'),
  members: database.prepare('select number, role from group_members where jid = ? order by seq'),
  ofNumber: database.prepare('select jid from group_members where number = ? order by jid'),
  coMembers: database.prepare(`select distinct other.number from group_members own
    join group_members other on other.jid = own.jid where own.number = ?`),
  setMember: database.prepare(`insert into group_members (jid, number, role) values (?, ?, ?)
    on conflict (jid, number) do update set role = excluded.role`),
  deleteMember: database.prepare('delete from group_members where jid = ? and number = ?'),
  addApplicant: database.prepare('insert or ignore into group_applicants values (?, ?, ?)'),
  applicants: database.prepare('select number, at from group_applicants where jid = ? order by at'),
  deleteApplicant: database.prepare('delete from group_applicants where jid = ? and number = ?'),
  deleteGroup: ['groups', 'group_applicants'].map((table) =>
    database.prepare(`delete from ${table} where jid = ?`),
  ),
})

export class GroupTable {
  readonly #sql: ReturnType<typeof prepareStatements>
  // Every message to a group needs all of its members.
  readonly #cache = new Map<string, Group>()
  readonly #memberCache = new Map<string, Member[]>()

  constructor(database: DatabaseSync) {
    this.#sql = prepareStatements(database)
  }

  find(jid: string): Group | undefined {
    const cached = this.#cache.get(jid)
    if (cached !== undefined) return cached
    const row = this.#sql.byJid.get(jid)
    if (row === undefined) return undefined
    const group: Group = JSON.parse(readText(row, 'record'))
    this.#cache.set(jid, group)
    return group
  }

  findByInvite(code: string): Group | undefined {
    const row = this.#sql.byInvite.get(code)
    return row && this.find(readText(row, 'jid'))
  }

  save(group: Group) {
    this.#sql.save.run(group.jid, group.invite, JSON.stringify(group))
    this.#cache.set(group.jid, group)
  }

  /** In the order in which they joined. */
  listMembers(jid: string): Member[] {
    const cached = this.#memberCache.get(jid)
    if (cached !== undefined) return cached
    const all = this.#sql.members.all(jid).map(toMember)
    this.#memberCache.set(jid, all)
    return all
  }

  findMember(jid: string, number: string): Member | undefined {
    return this.listMembers(jid).find((member) => member.number === number)
  }

  /** The ids of the groups that this number is in. */
  listByNumber(number: string): string[] {
    return this.#sql.ofNumber.all(number).map((row) => readText(row, 'jid'))
  }

  /** All numbers that share a group with this one, itself included. */
  listCoMembers(number: string): string[] {
    return this.#sql.coMembers.all(number).map((row) => readText(row, 'number'))
  }

  setMember(jid: string, number: string, role: Role) {
    this.#sql.setMember.run(jid, number, role)
    this.#memberCache.delete(jid)
  }

  deleteMember(jid: string, number: string) {
    this.#sql.deleteMember.run(jid, number)
    this.#memberCache.delete(jid)
  }

  listApplicants(jid: string): Applicant[] {
    return this.#sql.applicants
      .all(jid)
      .map((row) => ({ number: readText(row, 'number'), at: readInteger(row, 'at') }))
  }

  addApplicant(jid: string, number: string) {
    this.#sql.addApplicant.run(jid, number, Date.now())
  }

  deleteApplicant(jid: string, number: string) {
    this.#sql.deleteApplicant.run(jid, number)
  }

  /** A group without members is deleted. */
  deleteGroup(jid: string) {
    for (const statement of this.#sql.deleteGroup) statement.run(jid)
    this.#cache.delete(jid)
    this.#memberCache.delete(jid)
  }

  clearCache() {
    this.#cache.clear()
    this.#memberCache.clear()
  }
}
