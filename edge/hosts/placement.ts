// Which host serves an instance: the one that has its credential, else one that shares its store, else the emptiest.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { createCourier } from '../delivery/notify-couriers.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { type HostRow, listHosts } from '../store/host-queries.ts'
import { assignInstance, findInstanceById, type InstanceRow } from '../store/instance-queries.ts'
import { acceptsInstances, chooseEmptiestHost, selectStoreSharers } from './choose-host.ts'
import { selectLinked } from './linked-hosts.ts'

/** Returns the instance as assigned. Throws `worker_full` or `msgnet_unreachable` if no host has a free slot. */
export async function placeInstance(env: Env, store: Store, instance: InstanceRow): Promise<InstanceRow> {
  if (instance.hostId && instance.isLeased) return instance
  const hosts = await listHosts(store)
  const home = hosts.find(({ id }) => id === instance.hostId)
  if (instance.hostId && hasDevice(instance)) {
    const sharing = home ? await selectLinked(env, selectStoreSharers(hosts, home)) : []
    // Only its own host can read its credential, so it waits for that host.
    return sharing.length > 0 ? assignToHost(env, store, instance, sharing, home) : instance
  }
  return assignToHost(env, store, instance, await selectLinked(env, hosts.filter(acceptsInstances)), home)
}

/** The instance with a live host if there is one: the lease of its own host may have ended since the last request. */
export async function ensureLiveHost(env: Env, store: Store, instance: InstanceRow): Promise<InstanceRow> {
  if (!instance.hostId || instance.isLeased) return instance
  const hosts = await listHosts(store)
  const home = hosts.find(({ id }) => id === instance.hostId)
  const sharing = home ? await selectLinked(env, selectStoreSharers(hosts, home)) : []
  return sharing.length > 0 ? assignToHost(env, store, instance, sharing, home) : instance
}

async function assignToHost(
  env: Env,
  store: Store,
  instance: InstanceRow,
  candidates: HostRow[],
  home: HostRow | undefined,
): Promise<InstanceRow> {
  const host = chooseEmptiestHost(candidates, home?.region)
  if (host && (await assignInstance(store, instance, host.id))) {
    if (instance.epoch === 0) await createCourier(env, instance.id, host.region)
    return { ...instance, hostId: host.id, epoch: instance.epoch + 1, rev: 0, isLeased: true }
  }
  // Another request may have placed it first, perhaps on the last free slot; then that placement is used.
  const seenAgain = await findInstanceById(store, instance.id)
  if (!seenAgain) throw new Fault('instance_not_found')
  if (seenAgain.epoch > instance.epoch || seenAgain.isLeased) return seenAgain
  throw candidates.length > 0
    ? new Fault('worker_full')
    : new Fault('msgnet_unreachable', 'No session host is linked.')
}

const hasDevice = ({ jid }: InstanceRow) => jid !== ''
