// Which host serves an instance: the one that has its credential, else the emptiest that is alive.

import { Fault } from '../../shared/faults.ts'
import type { Store } from '../store/database.ts'
import { type HostRow, listHosts } from '../store/hosts.ts'
import { assign, type InstanceRow, instanceById } from '../store/instances.ts'

/** Answers the instance as assigned. Throws `worker_full` or `msgnet_unreachable` when there is no place for it. */
export async function place(store: Store, instance: InstanceRow): Promise<InstanceRow> {
  if (instance.hostId && (isLinked(instance) || instance.held)) return instance
  const host = emptiest(await listHosts(store))
  if (await assign(store, instance, host.id)) {
    return { ...instance, hostId: host.id, epoch: instance.epoch + 1, rev: 0, held: true }
  }
  // Another request placed it first: its choice is ours.
  const placed = await instanceById(store, instance.id)
  if (!placed) throw new Fault('instance_not_found')
  return placed
}

const isLinked = ({ jid }: InstanceRow) => jid !== ''

function emptiest(hosts: HostRow[]): HostRow {
  const live = hosts.filter((host) => host.live && !host.draining)
  const [best] = live
    .filter((host) => host.sessions < host.slots)
    .sort((one, other) => one.sessions / one.slots - other.sessions / other.slots)
  if (best) return best
  throw live.length > 0
    ? new Fault('worker_full')
    : new Fault('msgnet_unreachable', 'No session host is linked.')
}
