// Groups: their subjects, settings, members and requests to join.
import type { DatabaseSync } from 'node:sqlite'
import { integer, type Row, text } from './database.ts'
import type { Form } from './messages.ts'

export type Role = 'member' | 'admin' | 'superadmin'
export type Member = { number: string; role: Role }
export type Applicant = { number: string; at: number }

/** A text about the group. `by` is the author's number, `at` in milliseconds. */
export type Inscription = { text: string; by: string; at: number }

export type Group = {
  jid: string
  /** The form of its members' addresses. */
  form: Form
  subject: Inscription
  description?: (Inscription & { id: string }) | undefined
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
  /** The most members; the network's own limit if it is missing. */
  most?: number
}

const memberOf = (row: Row): Member => ({ number: text(row, 'number'), role: text(row, 'role') as Role })

export function groupTable(database: DatabaseSync) {
  const save = database.prepare('insert or replace into groups (jid, invite, record) values (?, ?, ?)')
  const byJid = database.prepare('select record from groups where jid = ?')
  const byInvite = database.prepare('select jid from groups where invite = ?')
  const members = database.prepare('select number, role from group_members where jid = ? order by seq')
  const ofNumber = database.prepare('select jid from group_members where number = ? order by jid')
  const fellows = database.prepare(`select distinct other.number from group_members own
    join group_members other on other.jid = own.jid where own.number = ?`)
  const setMember = database.prepare(`insert into group_members (jid, number, role) values (?, ?, ?)
    on conflict (jid, number) do update set role = excluded.role`)
  const dropMember = database.prepare('delete from group_members where jid = ? and number = ?')
  const apply = database.prepare('insert or ignore into group_applicants values (?, ?, ?)')
  const applicants = database.prepare('select number, at from group_applicants where jid = ? order by at')
  const dropApplicant = database.prepare('delete from group_applicants where jid = ? and number = ?')
  const forget = ['groups', 'group_applicants'].map((table) =>
    database.prepare(`delete from ${table} where jid = ?`),
  )
  // Every message to a group asks for all of its members.
  const known = new Map<string, Group>()
  const knownMembers = new Map<string, Member[]>()

  return {
    find(jid: string): Group | undefined {
      const cached = known.get(jid)
      if (cached !== undefined) return cached
      const row = byJid.get(jid)
      if (row === undefined) return undefined
      const group: Group = JSON.parse(text(row, 'record'))
      known.set(jid, group)
      return group
    },
    findByInvite(code: string): Group | undefined {
      const row = byInvite.get(code)
      return row && this.find(text(row, 'jid'))
    },
    save(group: Group) {
      save.run(group.jid, group.invite, JSON.stringify(group))
      known.set(group.jid, group)
    },
    /** In the order in which they joined. */
    members(jid: string): Member[] {
      const cached = knownMembers.get(jid)
      if (cached !== undefined) return cached
      const all = members.all(jid).map(memberOf)
      knownMembers.set(jid, all)
      return all
    },
    member(jid: string, number: string): Member | undefined {
      return this.members(jid).find((member) => member.number === number)
    },
    /** The ids of the groups that this number is in. */
    of(number: string): string[] {
      return ofNumber.all(number).map((row) => text(row, 'jid'))
    },
    /** All numbers that share a group with this one, itself included. */
    fellows(number: string): string[] {
      return fellows.all(number).map((row) => text(row, 'number'))
    },
    setMember(jid: string, number: string, role: Role) {
      setMember.run(jid, number, role)
      knownMembers.delete(jid)
    },
    dropMember(jid: string, number: string) {
      dropMember.run(jid, number)
      knownMembers.delete(jid)
    },
    applicants(jid: string): Applicant[] {
      return applicants.all(jid).map((row) => ({ number: text(row, 'number'), at: integer(row, 'at') }))
    },
    apply(jid: string, number: string) {
      apply.run(jid, number, Date.now())
    },
    dropApplicant(jid: string, number: string) {
      dropApplicant.run(jid, number)
    },
    /** A group without members is deleted. */
    forget(jid: string) {
      for (const statement of forget) statement.run(jid)
      known.delete(jid)
      knownMembers.delete(jid)
    },
    forgetCached() {
      known.clear()
      knownMembers.clear()
    },
  }
}
