// Which host serves an instance: the one that has its credential, else one that shares its store, else the emptiest.

import { Fault } from '../../shared/faults.ts'
import { makeCourier } from '../delivery/wake.ts'
import type { Env } from '../env.ts'
import type { Store } from '../store/database/database.ts'
import { type HostRow, listHosts } from '../store/hosts.ts'
import { assign, type InstanceRow, instanceById } from '../store/instances.ts'
import { emptiest, sharers, takesMore } from './choice.ts'
import { linked } from './links.ts'

/** Returns the instance as assigned. Throws `worker_full` or `msgnet_unreachable` if no host can take it. */
export async function place(env: Env, store: Store, instance: InstanceRow): Promise<InstanceRow> {
  if (instance.hostId && instance.held) return instance
  const hosts = await listHosts(store)
  const home = hosts.find(({ id }) => id === instance.hostId)
  if (instance.hostId && isLinked(instance)) {
    const sharing = home ? await linked(env, sharers(hosts, home)) : []
    // Only its own host can read its credential, so it waits for that host.
    return sharing.length > 0 ? give(env, store, instance, sharing, home) : instance
  }
  return give(env, store, instance, await linked(env, hosts.filter(takesMore)), home)
}

/** The instance with a live host if there is one: the lease of its own host may have ended since the last request. */
export async function withHost(env: Env, store: Store, instance: InstanceRow): Promise<InstanceRow> {
  if (!instance.hostId || instance.held) return instance
  const hosts = await listHosts(store)
  const home = hosts.find(({ id }) => id === instance.hostId)
  const sharing = home ? await linked(env, sharers(hosts, home)) : []
  return sharing.length > 0 ? give(env, store, instance, sharing, home) : instance
}

async function give(
  env: Env,
  store: Store,
  instance: InstanceRow,
  candidates: HostRow[],
  home: HostRow | undefined,
): Promise<InstanceRow> {
  const host = emptiest(candidates, home?.region)
  if (host && (await assign(store, instance, host.id))) {
    if (instance.epoch === 0) await makeCourier(env, instance.id, host.region)
    return { ...instance, hostId: host.id, epoch: instance.epoch + 1, rev: 0, held: true }
  }
  // Another request may have placed it first, perhaps on the last free slot; then that placement is used.
  const seenAgain = await instanceById(store, instance.id)
  if (!seenAgain) throw new Fault('instance_not_found')
  if (seenAgain.epoch > instance.epoch || seenAgain.held) return seenAgain
  throw candidates.length > 0
    ? new Fault('worker_full')
    : new Fault('msgnet_unreachable', 'No session host is linked.')
}

const isLinked = ({ jid }: InstanceRow) => jid !== ''
