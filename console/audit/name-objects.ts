// Finds the present names of instances, hosts and tokens that entries of the audit log have by id.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { AuditEntry } from '@msgnet/shared/contract/responses/audit-responses.ts'

export interface NamedEntry extends AuditEntry {
  /** Of what it names; empty if that is gone. */
  targetName: string
  /** Of the instance that an admin acted for. */
  asName: string
}

export type ObjectKind = 'host' | 'token' | 'instance'

export const getObjectKind = ({ action }: AuditEntry): ObjectKind =>
  action.startsWith('host.') ? 'host' : action.startsWith('token.') ? 'token' : 'instance'

/** By id. Each is asked for once, also if it is gone. */
export type KnownNames = Map<string, Promise<string>>

export async function nameObjects(
  admin: AdminClient,
  entries: readonly AuditEntry[],
  known: KnownNames,
): Promise<NamedEntry[]> {
  const findName = async (id: string, kind: ObjectKind): Promise<string> => {
    if (!id) return ''
    const name = known.get(id) ?? readName(admin, id, kind).catch(() => '')
    known.set(id, name)
    return name
  }
  return Promise.all(
    entries.map(async (entry) => ({
      ...entry,
      targetName: await findName(entry.target, getObjectKind(entry)),
      asName: await findName(entry.as, 'instance'),
    })),
  )
}

async function readName(admin: AdminClient, id: string, kind: ObjectKind): Promise<string> {
  if (kind === 'instance') return (await admin.instances.status(id)).instance.name
  if (kind === 'host') return (await admin.hosts.list()).hosts.find((host) => host.id === id)?.region ?? ''
  return (await admin.tokens.list()).tokens.find((token) => token.id === id)?.name ?? ''
}
