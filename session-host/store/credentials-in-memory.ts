// Keys of devices in memory only: for a replay, and for the doctor.

import type { CredentialStore } from './credential-store.ts'

type Bytes = Uint8Array<ArrayBuffer>

export function createCredentialsInMemory(): CredentialStore {
  const values = new Map<string, Bytes>()
  const buildKey = (kind: string, id: string) => JSON.stringify([kind, id])
  return {
    async read(_, kind, ids) {
      const found = ids.map((id) => [id, values.get(buildKey(kind, id))] as const)
      return new Map(found.filter((one): one is [string, Bytes] => one[1] !== undefined))
    },
    async readAll(_, kind) {
      const rows = [...values].map(([at, value]) => [...(JSON.parse(at) as [string, string]), value] as const)
      return new Map(rows.filter(([of]) => of === kind).map(([, id, value]) => [id, value]))
    },
    async write(_, changes) {
      for (const { kind, id, value } of changes) {
        if (value) values.set(buildKey(kind, id), value)
        else values.delete(buildKey(kind, id))
      }
    },
    async deleteLater(_, kind, listIds) {
      for (const id of listIds()) values.delete(buildKey(kind, id))
    },
    deleteAll: async () => values.clear(),
  }
}
