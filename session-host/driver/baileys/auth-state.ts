// The library's view of a device's keys, on the credential store: nothing is kept in memory but `creds` itself.

import {
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
} from 'baileys'
import type { CredentialChange, CredentialStore } from '../../store/credentials.ts'
import { CredentialUnreadable } from '../driver.ts'

const CREDS = { kind: 'creds', id: '' }

const encode = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value, BufferJSON.replacer)))
const decode = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString(), BufferJSON.reviver)

/** What is stored, or undefined when there is nothing. Unreadable is an error, never a new identity. */
export async function readCreds(
  store: CredentialStore,
  instance: string,
): Promise<AuthenticationCreds | undefined> {
  try {
    const bytes = (await store.read(instance, CREDS.kind, [CREDS.id])).get(CREDS.id)
    return bytes && decode(bytes)
  } catch (thrown) {
    throw new CredentialUnreadable(`the credential of ${instance} does not open`, { cause: thrown })
  }
}

export interface Auth {
  state: AuthenticationState
  /** Commits `creds` as they are now. Writes follow one another; one that waits takes the later ones along. */
  save(): Promise<void>
}

export async function makeAuth(store: CredentialStore, instance: string, fresh: boolean): Promise<Auth> {
  if (fresh) await store.clear(instance)
  const creds = (fresh ? undefined : await readCreds(store, instance)) ?? initAuthCreds()

  let writing: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  const write = () => {
    waiting = undefined
    return store.write(instance, [{ ...CREDS, value: encode(creds) }])
  }

  return {
    state: { creds, keys: signalKeys(store, instance) },
    save() {
      waiting ??= writing = writing.then(write, write)
      return waiting
    },
  }
}

function signalKeys(store: CredentialStore, instance: string): AuthenticationState['keys'] {
  return {
    async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const [id, bytes] of await store.read(instance, kind, ids)) {
        const value = decode(bytes)
        found[id] =
          kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value
      }
      return found
    },
    // The library hands over everything that one transaction changed in one call: one batch on disk.
    async set(data) {
      const changes: CredentialChange[] = []
      for (const [kind, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          changes.push({ kind, id, value: value === null || value === undefined ? null : encode(value) })
        }
      }
      await store.write(instance, changes)
    },
  }
}
