// Which host gets what, as a table: region, room, and who is no candidate at all.

import {
  type Candidate,
  chooseEmptiestHost,
  distributeInstances,
  selectStoreSharers,
} from '@msgnet/edge/hosts/choose-host.ts'
import { expect, test } from 'vitest'

const createHost = (id: string, change: Partial<Candidate> = {}): Candidate => ({
  id,
  region: 'here',
  storeId: 'one',
  slots: 10,
  sessions: 0,
  live: true,
  draining: false,
  ...change,
})
const dealItems = (items: number, hosts: Candidate[]) => {
  const all = Array.from({ length: items }, (_, n) => n)
  return Object.fromEntries(
    distributeInstances(all, hosts, 'here').map((deal) => [deal.host.id, deal.items.length]),
  )
}

test('only a live host with the same store that is not draining can take over', () => {
  const hosts = [
    createHost('home'),
    createHost('sharing'),
    createHost('dead', { live: false }),
    createHost('draining', { draining: true }),
    createHost('other store', { storeId: 'two' }),
    createHost('never heard', { storeId: '' }),
  ]
  expect(selectStoreSharers(hosts, createHost('home')).map(({ id }) => id)).toEqual(['sharing'])
  expect(selectStoreSharers(hosts, createHost('never heard', { storeId: '' }))).toEqual([])
})

test('hosts of the region are chosen while they have slots for all, then any host', () => {
  const hosts = [createHost('far', { region: 'there' }), createHost('near', { sessions: 6 })]
  expect(dealItems(4, hosts)).toEqual({ near: 4 })
  expect(dealItems(5, hosts)).toEqual({ far: 4, near: 1 })
  expect(chooseEmptiestHost(hosts, 'here')?.id).toBe('near')
  expect(chooseEmptiestHost(hosts, undefined)?.id).toBe('far')
  expect(
    chooseEmptiestHost([createHost('far', { region: 'there' }), createHost('full', { sessions: 10 })], 'here')
      ?.id,
  ).toBe('far')
})

test('instances are distributed by free slots, and no host gets more than it has', () => {
  const hosts = [
    createHost('empty'),
    createHost('half', { sessions: 5 }),
    createHost('full', { sessions: 10 }),
  ]
  expect(dealItems(9, hosts)).toEqual({ empty: 6, half: 3 })
  expect(dealItems(40, hosts)).toEqual({ empty: 10, half: 5 })
  expect(dealItems(3, [])).toEqual({})
})
