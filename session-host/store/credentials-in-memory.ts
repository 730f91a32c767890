// Keys of devices that nobody keeps: of a replay, and of a look at the network.

import type { CredentialStore } from './credentials.ts'

type Bytes = Uint8Array<ArrayBuffer>

export function makeCredentialsInMemory(): CredentialStore {
  const values = new Map<string, Bytes>()
  const place = (kind: string, id: string) => JSON.stringify([kind, id])
  return {
    async read(_, kind, ids) {
      const found = ids.map((id) => [id, values.get(place(kind, id))] as const)
      return new Map(found.filter((one): one is [string, Bytes] => one[1] !== undefined))
    },
    async all(_, kind) {
      const rows = [...values].map(([at, value]) => [...(JSON.parse(at) as [string, string]), value] as const)
      return new Map(rows.filter(([of]) => of === kind).map(([, id, value]) => [id, value]))
    },
    async write(_, changes) {
      for (const { kind, id, value } of changes) {
        if (value) values.set(place(kind, id), value)
        else values.delete(place(kind, id))
      }
    },
    async forget(_, kind, take) {
      for (const id of take()) values.delete(place(kind, id))
    },
    clear: async () => values.clear(),
  }
}
