// Moves instances between hosts that share a store, when a lease has ended or when a host yields them.

import type { Assignment } from '@msgnet/shared/wire/link-frames.ts'
import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'
import {
  type Assigned,
  findAssignments,
  listAssigned,
  listExpectedSessions,
  moveInstances,
} from '../store/assignment-queries.ts'
import type { Store } from '../store/database/open-store.ts'
import { type HostRow, listHosts } from '../store/host-queries.ts'
import { countFreeSlots, distributeInstances, selectStoreSharers } from './choose-host.ts'
import { selectLinked } from './linked-hosts.ts'

type AssignmentRef = Pick<Assignment, 'instance' | 'epoch'>

/** Moves the expected sessions of a host whose lease has ended to other hosts. Moves nothing while the lease runs. */
export async function reassignFromDeadHost(env: Env, store: Store, hostId: string): Promise<void> {
  const hosts = await listHosts(store)
  const from = hosts.find(({ id }) => id === hostId)
  if (!from || from.live || selectStoreSharers(hosts, from).length === 0) return
  const expected = await listExpectedSessions(store, hostId)
  const moved = await reassignInstances(env, store, expected, { from, hosts, yielded: false })
  if (expected.length > 0)
    log(env, 'warn', 'instances reassigned', { host: hostId, expected: expected.length, moved: moved.length })
}

/**
 * Called when a host comes up: sessions of dead hosts with the same store move to it, or to any other with a free slot. Draining
 * hosts, itself among them, are asked for theirs again: when they were drained, a link was down, or nobody had a free slot.
 */
export async function reassignWithinStore(env: Env, store: Store, storeId: string): Promise<void> {
  try {
    const sharing = (await listHosts(store)).filter((host) => host.storeId === storeId)
    for (const { id } of sharing.filter(({ live }) => !live)) await reassignFromDeadHost(env, store, id)
    for (const { id } of sharing.filter(({ live, draining }) => live && draining))
      await env.runtime.getLink(id).drainHost()
  } catch (error) {
    log(env, 'error', 'failed to reassign instances', { error })
  }
}

/** Moves instances that a host has closed. Returns those that have another host now; the rest stay with this one. */
export async function reassignYielded(
  env: Env,
  store: Store,
  hostId: string,
  yielded: AssignmentRef[],
): Promise<Assignment[]> {
  const hosts = await listHosts(store)
  const from = hosts.find(({ id }) => id === hostId)
  return from ? reassignInstances(env, store, yielded, { from, hosts, yielded: true }) : []
}

/** The instances that a draining host is to yield: as many as others have slots for, and those that need no slot. */
export async function listYieldable(env: Env, store: Store, hostId: string): Promise<string[]> {
  const hosts = await listHosts(store)
  const from = hosts.find(({ id }) => id === hostId)
  const takers = from ? await selectLinked(env, selectStoreSharers(hosts, from)) : []
  if (takers.length === 0) return []
  const all = await listAssigned(store, hostId)
  const expected = all.filter((one) => one.isExpected).slice(0, countFreeSlots(takers))
  return [...expected, ...all.filter((one) => !one.isExpected)].map(({ instance }) => instance)
}

/** Those of the instances that the host still has and that are expected to run. */
export async function findRemaining(
  store: Store,
  hostId: string,
  candidates: AssignmentRef[],
): Promise<Assigned[]> {
  const ids = candidates.map(({ instance }) => instance)
  const assignments = await findAssignments(store, ids)
  return assignments.filter((one) => one.hostId === hostId && one.isExpected)
}

interface Moving {
  from: HostRow
  hosts: HostRow[]
  yielded: boolean
}

async function reassignInstances(
  env: Env,
  store: Store,
  instances: AssignmentRef[],
  { from, hosts, yielded }: Moving,
): Promise<Assignment[]> {
  const takers = await selectLinked(env, selectStoreSharers(hosts, from))
  const moved: Assignment[] = []
  for (const { host, items } of distributeInstances(instances, takers, from.region)) {
    const assignments = await moveInstances(store, items, { from: from.id, to: host.id, yielded })
    moved.push(...assignments)
    await sendAssignments(env, host.id, assignments)
  }
  return moved
}

/** A host that cannot be reached now gets them with its next `welcome`. */
async function sendAssignments(env: Env, hostId: string, assignments: Assignment[]): Promise<void> {
  if (assignments.length === 0) return
  try {
    await env.runtime.getLink(hostId).sendAssignments(assignments)
  } catch (error) {
    log(env, 'error', 'failed to call link object', { host: hostId, error })
  }
}
