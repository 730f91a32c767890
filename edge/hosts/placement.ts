// Which host serves an instance: the one that has its credential, else the emptiest that is alive.

import { Fault } from '../../shared/faults.ts'
import type { Store } from '../store/database.ts'
import { type HostRow, listHosts } from '../store/hosts.ts'
import { assign, type InstanceRow, instanceById } from '../store/instances.ts'

/** Answers the instance as assigned. Throws `worker_full` or `msgnet_unreachable` when there is no place for it. */
export async function place(store: Store, instance: InstanceRow): Promise<InstanceRow> {
  if (instance.hostId && (isLinked(instance) || instance.held)) return instance
  const live = (await listHosts(store)).filter((host) => host.live && !host.draining)
  const host = emptiest(live)
  if (host && (await assign(store, instance, host.id))) {
    return { ...instance, hostId: host.id, epoch: instance.epoch + 1, rev: 0, held: true }
  }
  // Another request may have placed it first, and taken the last slot for it: its choice is ours.
  const seenAgain = await instanceById(store, instance.id)
  if (!seenAgain) throw new Fault('instance_not_found')
  if (seenAgain.epoch > instance.epoch) return seenAgain
  throw live.length > 0
    ? new Fault('worker_full')
    : new Fault('msgnet_unreachable', 'No session host is linked.')
}

const isLinked = ({ jid }: InstanceRow) => jid !== ''

const fill = ({ sessions, slots }: HostRow) => sessions / slots

const emptiest = (live: HostRow[]): HostRow | undefined =>
  live.filter((host) => fill(host) < 1).sort((one, other) => fill(one) - fill(other))[0]
