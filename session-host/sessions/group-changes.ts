// Applies a change to a group. Applying it twice has the same result as once.

import type { GroupChange, NetworkGroup, Person } from '../driver/driver.ts'

/** A change that changes nothing. */
export const nothing: Omit<GroupChange, 'jid'> = {
  by: { id: '', pn: '', lid: '' },
  settings: {},
  joined: [],
  left: [],
  promoted: [],
  demoted: [],
}

type Spelled = { id: string; pn: string; lid: string }

const same = (one: Spelled, other: Spelled) =>
  one.id === other.id || (one.pn !== '' && one.pn === other.pn) || (one.lid !== '' && one.lid === other.lid)

const among = (people: Person[], member: Spelled) => people.some((person) => same(person, member))

export function applied(group: NetworkGroup, change: GroupChange): NetworkGroup {
  const { settings, joined, left, promoted, demoted, renamed = [] } = change
  const stayed = group.members
    .filter((member) => !among(left, member) && !among(joined, member))
    .map((member) => {
      if (among(promoted, member)) return { ...member, role: 'admin' as const }
      if (among(demoted, member)) return { ...member, role: 'member' as const }
      const now = renamed.find(({ from }) => same(from, member))?.to
      return now ? { ...member, ...now } : member
    })
  return { ...group, ...settings, members: [...stayed, ...joined] }
}

/** The group with its members under their other ids, where these are known. */
export function readdressed(group: NetworkGroup, addressing: NetworkGroup['addressing']): NetworkGroup {
  const members = group.members.map((member) => ({ ...member, id: member[addressing] || member.id }))
  return { ...group, addressing, members }
}

/** The change with both spellings of each person, where the group's members have them. */
export function spelledOut(group: NetworkGroup | undefined, change: GroupChange): GroupChange {
  const whole = (one: Person): Person => {
    const member = group?.members.find((known) => same(known, one))
    return { id: one.id, pn: one.pn || (member?.pn ?? ''), lid: one.lid || (member?.lid ?? '') }
  }
  const { by, left, promoted, demoted, renamed = [] } = change
  return {
    ...change,
    by: whole(by),
    left: left.map(whole),
    promoted: promoted.map(whole),
    demoted: demoted.map(whole),
    // The new identity is left as the network reports it: the other stored id may be the former one.
    renamed: renamed.map(({ from, to }) => ({ from: whole(from), to })),
  }
}

/** Whether the change differs from the group as stored. */
export const concerns = (group: NetworkGroup, change: GroupChange): boolean =>
  JSON.stringify(applied(group, change)) !== JSON.stringify(group)
