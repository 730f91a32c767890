// What a change makes of a group. Applied twice, it is done once.

import type { GroupChange, NetworkGroup, Person } from '../driver/driver.ts'

type Spelled = { id: string; pn: string; lid: string }

const same = (one: Spelled, other: Spelled) =>
  one.id === other.id || (one.pn !== '' && one.pn === other.pn) || (one.lid !== '' && one.lid === other.lid)

const among = (people: Person[], member: Spelled) => people.some((person) => same(person, member))

export function applied(group: NetworkGroup, change: GroupChange): NetworkGroup {
  const { settings, joined, left, promoted, demoted } = change
  const stayed = group.members
    .filter((member) => !among(left, member) && !among(joined, member))
    .map((member) => {
      if (among(promoted, member)) return { ...member, role: 'admin' as const }
      if (among(demoted, member)) return { ...member, role: 'member' as const }
      return member
    })
  return { ...group, ...settings, members: [...stayed, ...joined] }
}

/** Whether it says anything of the group that is not known already. */
export const concerns = (group: NetworkGroup, change: GroupChange): boolean =>
  JSON.stringify(applied(group, change)) !== JSON.stringify(group)
