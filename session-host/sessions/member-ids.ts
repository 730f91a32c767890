// The other id of members of groups, for receipts and notices of the network, which name a member by one id only.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Person } from '../driver/driver.ts'
import { createGrowingCache } from '../process/growing-cache.ts'
import { findByLid, listMembers } from '../store/people-store.ts'
import type { SessionDeps } from './session-deps.ts'

/** Ids per session: as many as two of the largest groups have. */
const MAX_IDS = 4096
/** Groups per session. */
const MAX_GROUPS = 64

type Store = SessionDeps['store']

/** A message to a group has two receipts of each member, so all members are read at once, and not more than once a minute. */
export class MemberIds {
  readonly #store: Store
  readonly #instance: string
  /** By either id. */
  readonly #others = createGrowingCache<string, string>(MAX_IDS)
  readonly #read = createGrowingCache<string, 'read'>(MAX_GROUPS, { ttl: MINUTE })

  constructor(store: Store, instance: string) {
    this.#store = store
    this.#instance = instance
  }

  /** The member with both ids, if the other one is known. */
  async addOtherId(member: Person, group: string): Promise<Person> {
    if (member.pn !== '' && member.lid !== '') return member
    if (!this.#others.has(member.id) && !this.#read.has(group)) await this.#readGroup(group)
    const other = this.#others.get(member.id)
    if (other === undefined) return member
    return member.pn === '' ? { ...member, pn: other } : { ...member, lid: other }
  }

  clear(): void {
    this.#others.clear()
    this.#read.clear()
  }

  async #readGroup(group: string): Promise<void> {
    this.#read.set(group, 'read')
    const members = await listMembers(this.#store, this.#instance, group)
    const hidden = members.filter(({ pn }) => pn === '').map(({ lid }) => lid)
    const found = hidden.length > 0 ? await findByLid(this.#store, this.#instance, hidden) : []
    for (const { pn, lid } of [...members, ...found]) {
      if (pn === '' || lid === '') continue
      this.#others.set(pn, lid)
      this.#others.set(lid, pn)
    }
  }
}
