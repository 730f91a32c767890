// The library's view of a device's keys, on the credential store: only `creds` is kept in memory.

import {
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
} from 'baileys'
import { CREDS, type CredentialChange, type CredentialStore } from '../../../store/credentials.ts'
import { storeFaultIn } from '../../../store/fault.ts'
import { CredentialUnreadable } from '../../driver.ts'

const ROW = { kind: CREDS, id: '' }

const encode = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value, BufferJSON.replacer)))
/** Most keys hold no bytes, and a reviver, which is called for each value, costs five times as much as parsing. */
function decode(bytes: Uint8Array) {
  const { buffer, byteOffset, length } = bytes
  const text = Buffer.from(buffer, byteOffset, length).toString()
  return text.includes('"type":"Buffer"') ? JSON.parse(text, BufferJSON.reviver) : JSON.parse(text)
}

/** The stored `creds`, or undefined if there are none. If they cannot be read, it throws: that never becomes a new identity. */
export async function readCreds(
  store: CredentialStore,
  instance: string,
): Promise<AuthenticationCreds | undefined> {
  try {
    const bytes = (await store.read(instance, ROW.kind, [ROW.id])).get(ROW.id)
    return bytes && decode(bytes)
  } catch (thrown) {
    // A store that fails says nothing about the credential.
    if (storeFaultIn(thrown)) throw thrown
    throw new CredentialUnreadable(`the credential of ${instance} does not open`, { cause: thrown })
  }
}

export interface Auth {
  state: AuthenticationState
  /** Commits the current `creds`. Writes run one after another; one that waits includes later changes. */
  save(): Promise<void>
  /**
   * The write that makes the device a linked one, until it is on disk. A frame sent before that may carry our signature: the phone
   * would show a device whose credential is lost.
   */
  readonly linking: Promise<void> | undefined
  /**
   * When it resolves, all running writes are on disk, `creds` last, and nothing more is read or written. The
   * library still handles frames of a closed socket, on keys that belong to the next one by then.
   */
  end(): Promise<void>
  /**
   * Called as soon as a key cannot be read or written. The library would treat that as a missing key or an
   * undecryptable message, and tell the network so: its socket has to be closed before that.
   */
  onFault(listener: (thrown: unknown) => void): void
  /** Reports a failed write that belongs with a key, with the same effect. */
  fail(thrown: unknown): void
}

export async function makeAuth(store: CredentialStore, instance: string, fresh: boolean): Promise<Auth> {
  if (fresh) await store.clear(instance)
  const creds = (fresh ? undefined : await readCreds(store, instance)) ?? initAuthCreds()

  let faulty: (thrown: unknown) => void = () => undefined
  let ended: Promise<void> | undefined
  const underway = new Set<Promise<unknown>>()
  const watched = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (ended !== undefined) throw new Error('the socket has ended')
    const work = call()
    underway.add(work)
    try {
      return await work
    } catch (thrown) {
      faulty(thrown)
      throw thrown
    } finally {
      underway.delete(work)
    }
  }
  let writing: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let linked = creds.account !== undefined
  let linking: Promise<void> | undefined
  const write = () => {
    waiting = undefined
    return store.write(instance, [{ ...ROW, value: encode(creds) }])
  }

  return {
    state: { creds, keys: signalKeys(store, instance, watched) },
    save() {
      if (ended !== undefined) return ended
      waiting ??= writing = writing.then(write, write)
      if (!linked && creds.account) {
        linked = true
        linking = waiting
        const kept = () => {
          linking = undefined
        }
        // After a failure `linking` stays, so that nothing more is sent.
        waiting.then(kept, () => undefined)
      }
      return waiting
    },
    get linking() {
      return linking
    },
    end() {
      ended ??= Promise.allSettled(underway).then(() => writing.then(write, write))
      return ended
    },
    onFault(listener) {
      faulty = listener
    },
    fail: (thrown) => faulty(thrown),
  }
}

function signalKeys(
  store: CredentialStore,
  instance: string,
  watched: <Value>(call: () => Promise<Value>) => Promise<Value>,
): AuthenticationState['keys'] {
  return {
    async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const [id, bytes] of await watched(() => store.read(instance, kind, ids))) {
        const value = decode(bytes)
        found[id] =
          kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value
      }
      return found
    },
    // The library passes all changes of one transaction in one call: they are one batch on disk.
    async set(data) {
      const changes: CredentialChange[] = []
      for (const [kind, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          changes.push({ kind, id, value: value === null || value === undefined ? null : encode(value) })
        }
      }
      await watched(() => store.write(instance, changes))
    },
  }
}
