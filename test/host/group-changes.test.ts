// What a change makes of a group, and that the same change told twice is done once.

import { expect, test } from 'vitest'
import type { GroupChange, NetworkGroup } from '../../session-host/driver/driver.ts'
import { applied, concerns, readdressed, spelledOut } from '../../session-host/sessions/group-changes.ts'
import { groupEvent, groupRecord } from '../../session-host/sessions/group-reporting.ts'

const person = (name: string) => ({ id: `${name}@lid`, pn: `${name}@s.msgnet.net`, lid: `${name}@lid` })
const member = (name: string, role: 'member' | 'admin' = 'member') => ({
  ...person(name),
  role,
  name: '',
  error: 0,
})

const group: NetworkGroup = {
  ...{ jid: '1@g.us', owner: person('anna'), subject: 'Before', topic: '', created: 0 },
  ...{ locked: false, announce: false, ephemeral: 0, joinApproval: false },
  ...{ memberAddMode: 'admin_add', addressing: 'lid', members: [member('anna', 'admin'), member('ben')] },
}
const change: GroupChange = {
  ...{ jid: '1@g.us', by: { id: 'anna@lid', pn: '', lid: 'anna@lid' }, settings: {} },
  ...{ joined: [], left: [], promoted: [], demoted: [] },
}
const roles = ({ members }: NetworkGroup) => members.map(({ id, role }) => `${id} ${role}`)

test('who comes, goes, rises and falls', () => {
  expect(roles(applied(group, { ...change, joined: [member('carla')] }))).toContain('carla@lid member')
  const byNumber = { id: 'ben@s.msgnet.net', pn: 'ben@s.msgnet.net', lid: '' }
  expect(roles(applied(group, { ...change, left: [byNumber] }))).toEqual(['anna@lid admin'])
  expect(roles(applied(group, { ...change, promoted: [byNumber] }))).toContain('ben@lid admin')
  expect(roles(applied(group, { ...change, demoted: [person('anna')] }))).toContain('anna@lid member')
})

test('a group that changes its addressing has its members under their other ids, where these are known', () => {
  const stranger = { ...member('carla'), pn: '' }
  const now = readdressed({ ...group, members: [...group.members, stranger] }, 'pn')
  expect(now.addressing).toBe('pn')
  expect(now.members.map(({ id }) => id)).toEqual(['anna@s.msgnet.net', 'ben@s.msgnet.net', 'carla@lid'])
})

test('what is known already concerns nobody, and told twice it is done once', () => {
  const renaming = { ...change, settings: { subject: 'After' } }
  expect(concerns(group, renaming)).toBe(true)
  expect(concerns(applied(group, renaming), renaming)).toBe(false)
  const joining = { ...change, joined: [member('carla')] }
  expect(applied(applied(group, joining), joining)).toEqual(applied(group, joining))
})

test('who did it is told by number too, where the group knows him', () => {
  expect(spelledOut(group, change).by).toEqual(person('anna'))
  expect(spelledOut(undefined, change).by).toEqual(change.by)
})

test('OwnerJID and the JIDs of participants are ids of the same kind, phone numbers where known', () => {
  const anna = person('anna')
  const record = (owner: typeof anna, members = group.members) => {
    const { OwnerJID, OwnerPN, Participants } = groupRecord({ ...group, owner, members }, () => false)
    return { OwnerJID, OwnerPN, first: Participants[0]?.JID }
  }
  const known = { OwnerJID: anna.pn, OwnerPN: anna.pn, first: anna.pn }
  expect(record(anna)).toEqual(known)
  // The other id of the owner may be told with the members only.
  expect(record({ ...anna, pn: '' })).toEqual(known)
  const unknown = [{ ...member('anna', 'admin'), pn: '' }]
  expect(record({ ...anna, pn: '' }, unknown)).toEqual({ OwnerJID: anna.id, OwnerPN: '', first: anna.id })
})

test('whoever goes on under another number keeps his rights, and is told as left and as come', () => {
  const now = { id: 'anna@lid', pn: 'anna-now@s.msgnet.net', lid: 'anna@lid' }
  const told = spelledOut(group, { ...change, renamed: [{ from: { ...change.by }, to: now }] })
  const [anna] = applied(group, told).members
  expect(anna).toMatchObject({ ...now, role: 'admin' })
  const { Join, Leave } = groupEvent(told).payload.event as { Join: string[]; Leave: string[] }
  expect([Leave, Join]).toEqual([['anna@s.msgnet.net'], ['anna-now@s.msgnet.net']])
  expect(concerns(applied(group, told), told)).toBe(false)
})
