// The library's view of a device's keys, on the credential store: only `creds` is kept in memory.

import {
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
} from 'baileys'
import { CREDS, type CredentialChange, type CredentialStore } from '../../../store/credential-store.ts'
import { findStoreFault } from '../../../store/store-fault.ts'
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
  } catch (error) {
    // A store that fails says nothing about the credential.
    if (findStoreFault(error)) throw error
    throw new CredentialUnreadable(`the credential of ${instance} does not open`, { cause: error })
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
  onFault(listener: (error: unknown) => void): void
  /** Reports a failed write that belongs with a key, with the same effect. */
  reportFault(error: unknown): void
}

export async function createAuth(store: CredentialStore, instance: string, fresh: boolean): Promise<Auth> {
  if (fresh) await store.deleteAll(instance)
  const creds = (fresh ? undefined : await readCreds(store, instance)) ?? initAuthCreds()

  let faultListener: (error: unknown) => void = () => undefined
  let ended: Promise<void> | undefined
  const running = new Set<Promise<unknown>>()
  const trackCall = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (ended !== undefined) throw new Error('the socket has ended')
    const work = call()
    running.add(work)
    try {
      return await work
    } catch (error) {
      faultListener(error)
      throw error
    } finally {
      running.delete(work)
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
    state: { creds, keys: createSignalKeys(store, instance, trackCall) },
    save() {
      if (ended !== undefined) return ended
      waiting ??= writing = writing.then(write, write)
      if (!linked && creds.account) {
        linked = true
        linking = waiting
        const onStored = () => {
          linking = undefined
        }
        // After a failure `linking` stays, so that nothing more is sent.
        waiting.then(onStored, () => undefined)
      }
      return waiting
    },
    get linking() {
      return linking
    },
    end() {
      ended ??= Promise.allSettled(running).then(() => writing.then(write, write))
      return ended
    },
    onFault(listener) {
      faultListener = listener
    },
    reportFault: (error) => faultListener(error),
  }
}

function createSignalKeys(
  store: CredentialStore,
  instance: string,
  trackCall: <Value>(call: () => Promise<Value>) => Promise<Value>,
): AuthenticationState['keys'] {
  return {
    async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const [id, bytes] of await trackCall(() => store.read(instance, kind, ids))) {
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
      await trackCall(() => store.write(instance, changes))
    },
  }
}
