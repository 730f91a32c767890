// Which host gets what, as a table: region, room, and who is no candidate at all.

import { expect, test } from 'vitest'
import { type Candidate, dealOut, emptiest, sharers } from '../../edge/hosts/choice.ts'

const host = (id: string, change: Partial<Candidate> = {}): Candidate => ({
  ...{ id, region: 'here', storeId: 'one', slots: 10, sessions: 0, live: true, draining: false },
  ...change,
})
const dealt = (items: number, hosts: Candidate[]) => {
  const all = Array.from({ length: items }, (_, n) => n)
  return Object.fromEntries(dealOut(all, hosts, 'here').map((deal) => [deal.host.id, deal.items.length]))
}

test('only a live host with the same store, that does not drain, can take over', () => {
  const hosts = [
    host('home'),
    host('sharing'),
    host('dead', { live: false }),
    host('draining', { draining: true }),
    host('other store', { storeId: 'two' }),
    host('never heard', { storeId: '' }),
  ]
  expect(sharers(hosts, host('home')).map(({ id }) => id)).toEqual(['sharing'])
  expect(sharers(hosts, host('never heard', { storeId: '' }))).toEqual([])
})

test('the region comes first while it has room for all, then everybody', () => {
  const hosts = [host('far', { region: 'there' }), host('near', { sessions: 6 })]
  expect(dealt(4, hosts)).toEqual({ near: 4 })
  expect(dealt(5, hosts)).toEqual({ far: 4, near: 1 })
  expect(emptiest(hosts, 'here')?.id).toBe('near')
  expect(emptiest(hosts, undefined)?.id).toBe('far')
  expect(emptiest([host('far', { region: 'there' }), host('full', { sessions: 10 })], 'here')?.id).toBe('far')
})

test('many are dealt out by free slots, and no host gets more than it has room for', () => {
  const hosts = [host('empty'), host('half', { sessions: 5 }), host('full', { sessions: 10 })]
  expect(dealt(9, hosts)).toEqual({ empty: 6, half: 3 })
  expect(dealt(40, hosts)).toEqual({ empty: 10, half: 5 })
  expect(dealt(3, [])).toEqual({})
})
