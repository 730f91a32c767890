// The library's view of a device's keys, on the credential store: only `creds` is cached in memory.

import {
  type AuthenticationCreds,
  type AuthenticationState,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
} from 'baileys'
import { findStoreFault } from '../../../process/store-fault.ts'
import { CREDS, type CredentialChange, type CredentialStore } from '../../../store/credential-store.ts'
import { CredentialUnreadable } from '../../driver.ts'
import { ConnectionEnded } from '../../network-outcome.ts'
import { makePreKeysAhead } from '../patches/pre-keys-ahead.ts'

const ROW = { kind: CREDS, id: '' }

/** A key as it is stored. */
export const encodeKey = (value: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(JSON.stringify(value, BufferJSON.replacer)))
/** Most keys hold no bytes, and a reviver, which is called for each value, costs five times as much as parsing. */
export function decodeKey(bytes: Uint8Array) {
  const { buffer, byteOffset, length } = bytes
  const text = Buffer.from(buffer, byteOffset, length).toString()
  return text.includes('"type":"Buffer"') ? JSON.parse(text, BufferJSON.reviver) : JSON.parse(text)
}

/** The stored `creds`, or undefined if there are none. Throws if they cannot be read: that never leads to a new identity. */
export async function readCreds(
  store: CredentialStore,
  instance: string,
): Promise<AuthenticationCreds | undefined> {
  try {
    const bytes = (await store.read(instance, ROW.kind, [ROW.id])).get(ROW.id)
    return bytes && decodeKey(bytes)
  } catch (error) {
    // A store that fails says nothing about the credential.
    if (findStoreFault(error)) throw error
    throw new CredentialUnreadable(`the credential of ${instance} does not open`, { cause: error })
  }
}

type TrackCall = <Value>(call: () => Promise<Value>) => Promise<Value>

/** The keys of a device, for one socket. */
export class Auth {
  readonly state: AuthenticationState
  readonly #store: CredentialStore
  readonly #instance: string
  readonly #running = new Set<Promise<unknown>>()
  #faultListener: (error: unknown) => void = () => undefined
  #ended: Promise<void> | undefined
  #writing: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  #isLinked: boolean
  #linking: Promise<void> | undefined

  constructor(store: CredentialStore, instance: string, creds: AuthenticationCreds) {
    this.#store = store
    this.#instance = instance
    this.#isLinked = creds.account !== undefined
    const trackCall: TrackCall = (call) => this.#trackCall(call)
    this.state = { creds, keys: createSignalKeys(store, instance, trackCall) }
  }

  /** `fresh`: with a new identity in place of the stored one. */
  static async load(store: CredentialStore, instance: string, fresh: boolean): Promise<Auth> {
    if (fresh) await store.deleteAll(instance)
    const stored = fresh ? undefined : await readCreds(store, instance)
    if (!stored) void makePreKeysAhead()
    return new Auth(store, instance, stored ?? initAuthCreds())
  }

  /**
   * The write that makes the device a linked one, until it is on disk. A frame sent before that may carry our signature: the phone
   * would show a device whose credential is lost.
   */
  get linking(): Promise<void> | undefined {
    return this.#linking
  }

  /** Commits the current `creds`. Writes run one after another; one that waits includes later changes. */
  save(): Promise<void> {
    if (this.#ended !== undefined) return this.#ended
    this.#waiting ??= this.#writing = this.#writeNext()
    const waiting = this.#waiting
    if (!this.#isLinked && this.state.creds.account) {
      this.#isLinked = true
      this.#linking = waiting
      const onStored = () => {
        this.#linking = undefined
      }
      // After a failure `linking` stays, so that nothing more is sent.
      waiting.then(onStored, () => undefined)
    }
    return waiting
  }

  /**
   * When it resolves, all running writes are on disk, `creds` last, and nothing more is read or written. The
   * library still handles frames of a closed socket, on keys that belong to the next one by then.
   */
  end(): Promise<void> {
    this.#ended ??= Promise.allSettled(this.#running).then(() => this.#writeNext())
    return this.#ended
  }

  /**
   * The listener is called as soon as a key cannot be read or written. The library would treat that as a missing key or an
   * undecryptable message, and report it to the network: its socket has to be closed before that.
   */
  onFault(listener: (error: unknown) => void): void {
    this.#faultListener = listener
  }

  /** Reports a failed write that belongs with a key, with the same effect. */
  reportFault(error: unknown): void {
    this.#faultListener(error)
  }

  #writeNext(): Promise<void> {
    const write = () => {
      this.#waiting = undefined
      return this.#store.write(this.#instance, [{ ...ROW, value: encodeKey(this.state.creds) }])
    }
    return this.#writing.then(write, write)
  }

  async #trackCall<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.#ended !== undefined) throw new ConnectionEnded('the socket has ended')
    const work = call()
    this.#running.add(work)
    try {
      return await work
    } catch (error) {
      this.#faultListener(error)
      throw error
    } finally {
      this.#running.delete(work)
    }
  }
}

function createSignalKeys(
  store: CredentialStore,
  instance: string,
  trackCall: TrackCall,
): AuthenticationState['keys'] {
  return {
    async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
      const found: Record<string, SignalDataTypeMap[T]> = {}
      for (const [id, bytes] of await trackCall(() => store.read(instance, kind, ids))) {
        const value = decodeKey(bytes)
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
          changes.push({ kind, id, value: value === null || value === undefined ? null : encodeKey(value) })
        }
      }
      await trackCall(() => store.write(instance, changes))
    },
  }
}
