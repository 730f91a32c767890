// The choice among hosts: the emptiest for a new instance, and how many instances of a drained host each of the others gets.

import type { hosts } from '@msgnet/shared/db/edge-tables.ts'

type Row = typeof hosts.$inferSelect
export type Candidate = Pick<Row, 'id' | 'region' | 'storeId' | 'slots' | 'sessions' | 'draining'> & {
  live: boolean
}

export const acceptsInstances = ({ live, draining }: Candidate): boolean => live && !draining

/** Hosts that share the store of this one, and so can open its sessions. */
export const selectStoreSharers = <Host extends Candidate>(
  hosts: Host[],
  { id, storeId }: Candidate,
): Host[] =>
  hosts.filter(
    (host) => acceptsInstances(host) && host.id !== id && storeId !== '' && host.storeId === storeId,
  )

const getFreeSlots = ({ slots, sessions }: Candidate): number => Math.max(0, slots - sessions)

/** How many more sessions these can have together. */
export const countFreeSlots = (hosts: Candidate[]): number =>
  hosts.reduce((sum, host) => sum + getFreeSlots(host), 0)

/** The emptiest host with a free slot; hosts of the preferred region come first. */
export function chooseEmptiestHost<Host extends Candidate>(
  hosts: Host[],
  region: string | undefined,
): Host | undefined {
  const rankRegion = (host: Host) => (region !== undefined && host.region !== region ? 1 : 0)
  const computeLoad = ({ sessions, slots }: Host) => sessions / slots
  return hosts
    .filter((host) => getFreeSlots(host) > 0)
    .sort((one, other) => rankRegion(one) - rankRegion(other) || computeLoad(one) - computeLoad(other))[0]
}

/**
 * Distributes the items of one host over others, each in proportion to its free slots, so that none gets everything. Only
 * hosts of its region are used if they have slots for all. Items without a free slot are left out.
 */
export function distributeInstances<Item, Host extends Candidate>(
  items: Item[],
  hosts: Host[],
  region: string,
): { host: Host; items: Item[] }[] {
  const near = hosts.filter((host) => host.region === region)
  const takers = countFreeSlots(near) >= items.length ? near : hosts
  const free = countFreeSlots(takers)
  const waiting = [...items]
  return takers
    .map((host) => {
      const share = Math.ceil((items.length * getFreeSlots(host)) / Math.max(free, 1))
      return { host, items: waiting.splice(0, Math.min(share, getFreeSlots(host))) }
    })
    .filter(({ items: dealt }) => dealt.length > 0)
}
