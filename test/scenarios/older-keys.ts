// The keys of a device of the library's older line, in memory.

import { type AuthenticationState, initAuthCreds, type SignalDataTypeMap } from 'baileys-6'

export function createMemoryAuth(): AuthenticationState {
  const values = new Map<string, unknown>()
  return {
    creds: initAuthCreds(),
    keys: {
      async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: Record<string, SignalDataTypeMap[T]> = {}
        for (const id of ids) {
          const value = values.get(`${type}-${id}`)
          if (value !== undefined) found[id] = value as SignalDataTypeMap[T]
        }
        return found
      },
      async set(data) {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {}))
            values.set(`${type}-${id}`, value ?? undefined)
        }
      },
    },
  }
}
