// Applies a change to a group. Applying it twice has the same result as once.

import type { GroupChange, NetworkGroup, Person } from '../driver/driver.ts'

/** A change that changes nothing. */
export const emptyChange: Omit<GroupChange, 'jid'> = {
  by: { id: '', pn: '', lid: '' },
  settings: {},
  joined: [],
  left: [],
  promoted: [],
  demoted: [],
}

type PersonForms = { id: string; pn: string; lid: string }

const isSamePerson = (one: PersonForms, other: PersonForms) =>
  one.id === other.id || (one.pn !== '' && one.pn === other.pn) || (one.lid !== '' && one.lid === other.lid)

const includesPerson = (people: Person[], member: PersonForms) =>
  people.some((person) => isSamePerson(person, member))

export function applyGroupChange(group: NetworkGroup, change: GroupChange): NetworkGroup {
  const { settings, joined, left, promoted, demoted, renamed = [] } = change
  const stayed = group.members
    .filter((member) => !includesPerson(left, member) && !includesPerson(joined, member))
    .map((member) => {
      if (includesPerson(promoted, member)) return { ...member, role: 'admin' as const }
      if (includesPerson(demoted, member)) return { ...member, role: 'member' as const }
      const now = renamed.find(({ from }) => isSamePerson(from, member))?.to
      return now ? { ...member, ...now } : member
    })
  return { ...group, ...settings, members: [...stayed, ...joined] }
}

/** The group with its members under their other ids, where these are known. */
export function changeAddressing(group: NetworkGroup, addressing: NetworkGroup['addressing']): NetworkGroup {
  const members = group.members.map((member) => ({ ...member, id: member[addressing] || member.id }))
  return { ...group, addressing, members }
}

/** The change with both forms of each person, where the group's members have them. */
export function completeForms(group: NetworkGroup | undefined, change: GroupChange): GroupChange {
  const completePerson = (one: Person): Person => {
    const member = group?.members.find((known) => isSamePerson(known, one))
    return { id: one.id, pn: one.pn || (member?.pn ?? ''), lid: one.lid || (member?.lid ?? '') }
  }
  const { by, left, promoted, demoted, renamed = [] } = change
  return {
    ...change,
    by: completePerson(by),
    left: left.map(completePerson),
    promoted: promoted.map(completePerson),
    demoted: demoted.map(completePerson),
    // The new identity is left as the network reports it: the other stored id may be the previous one.
    renamed: renamed.map(({ from, to }) => ({ from: completePerson(from), to })),
  }
}

/** Whether the change differs from the group as stored. */
export const hasEffect = (group: NetworkGroup, change: GroupChange): boolean =>
  JSON.stringify(applyGroupChange(group, change)) !== JSON.stringify(group)
