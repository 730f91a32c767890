// The effect of a change on a group, and that the same change reported twice is stored once.

import type { GroupChange, NetworkGroup } from '@msgnet/session-host/driver/driver.ts'
import {
  applyGroupChange,
  changeAddressing,
  completeForms,
  hasEffect,
} from '@msgnet/session-host/sessions/group-changes.ts'
import { createGroupEvent, toGroupRecord } from '@msgnet/session-host/sessions/group-records.ts'
import { expect, test } from 'vitest'

const createPerson = (name: string) => ({ id: `${name}@lid`, pn: `${name}@s.msgnet.net`, lid: `${name}@lid` })
const createMember = (name: string, role: 'member' | 'admin' = 'member') => ({
  ...createPerson(name),
  role,
  name: '',
  error: 0,
})

const group: NetworkGroup = {
  jid: '1@g.us',
  owner: createPerson('anna'),
  subject: 'Before',
  topic: '',
  created: 0,
  locked: false,
  announce: false,
  ephemeral: 0,
  joinApproval: false,
  memberAddMode: 'admin_add',
  addressing: 'lid',
  members: [createMember('anna', 'admin'), createMember('ben')],
}
const change: GroupChange = {
  jid: '1@g.us',
  by: { id: 'anna@lid', pn: '', lid: 'anna@lid' },
  settings: {},
  joined: [],
  left: [],
  promoted: [],
  demoted: [],
}
const listRoles = ({ members }: NetworkGroup) => members.map(({ id, role }) => `${id} ${role}`)

test('members that join, leave, are promoted and are demoted are reported', () => {
  expect(listRoles(applyGroupChange(group, { ...change, joined: [createMember('carla')] }))).toContain(
    'carla@lid member',
  )
  const byNumber = { id: 'ben@s.msgnet.net', pn: 'ben@s.msgnet.net', lid: '' }
  expect(listRoles(applyGroupChange(group, { ...change, left: [byNumber] }))).toEqual(['anna@lid admin'])
  expect(listRoles(applyGroupChange(group, { ...change, promoted: [byNumber] }))).toContain('ben@lid admin')
  expect(listRoles(applyGroupChange(group, { ...change, demoted: [createPerson('anna')] }))).toContain(
    'anna@lid member',
  )
})

test('a group that changes its addressing lists its members under their other known ids', () => {
  const stranger = { ...createMember('carla'), pn: '' }
  const now = changeAddressing({ ...group, members: [...group.members, stranger] }, 'pn')
  expect(now.addressing).toBe('pn')
  expect(now.members.map(({ id }) => id)).toEqual(['anna@s.msgnet.net', 'ben@s.msgnet.net', 'carla@lid'])
})

test('a known change is not reported, and a change reported twice is stored once', () => {
  const renaming = { ...change, settings: { subject: 'After' } }
  expect(hasEffect(group, renaming)).toBe(true)
  expect(hasEffect(applyGroupChange(group, renaming), renaming)).toBe(false)
  const joining = { ...change, joined: [createMember('carla')] }
  expect(applyGroupChange(applyGroupChange(group, joining), joining)).toEqual(
    applyGroupChange(group, joining),
  )
})

test('the author of a change is reported by number too, where the group knows it', () => {
  expect(completeForms(group, change).by).toEqual(createPerson('anna'))
  expect(completeForms(undefined, change).by).toEqual(change.by)
})

test('OwnerJID and the JIDs of participants are ids of the same kind, phone numbers where known', () => {
  const anna = createPerson('anna')
  const buildRecord = (owner: typeof anna, members = group.members) => {
    const { OwnerJID, OwnerPN, Participants } = toGroupRecord({ ...group, owner, members }, () => false)
    return { OwnerJID, OwnerPN, first: Participants[0]?.JID }
  }
  const known = { OwnerJID: anna.pn, OwnerPN: anna.pn, first: anna.pn }
  expect(buildRecord(anna)).toEqual(known)
  // The other id of the owner may be in the list of members only.
  expect(buildRecord({ ...anna, pn: '' })).toEqual(known)
  const unknown = [{ ...createMember('anna', 'admin'), pn: '' }]
  expect(buildRecord({ ...anna, pn: '' }, unknown)).toEqual({
    OwnerJID: anna.id,
    OwnerPN: '',
    first: anna.id,
  })
})

test('a member with a new number keeps its role, and is reported as left and as joined', () => {
  const now = { id: 'anna@lid', pn: 'anna-now@s.msgnet.net', lid: 'anna@lid' }
  const described = completeForms(group, { ...change, renamed: [{ from: { ...change.by }, to: now }] })
  const [anna] = applyGroupChange(group, described).members
  expect(anna).toMatchObject({ ...now, role: 'admin' })
  const { Join, Leave } = createGroupEvent(described).payload.event as { Join: string[]; Leave: string[] }
  expect([Leave, Join]).toEqual([['anna@s.msgnet.net'], ['anna-now@s.msgnet.net']])
  expect(hasEffect(applyGroupChange(group, described), described)).toBe(false)
})
