// Changes the settings that all devices of an account share: each change is a patch on this device's version.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { type BinaryNode, chatModificationToAppPatch, encodeSyncdPatch, proto, type WASocket } from 'baileys'
import { createMutex } from '../../../process/mutex.ts'
import type { NetworkOutcome } from '../../driver.ts'
import { Effect } from '../../effect.ts'
import { dropValue, runRequest } from '../connection/network-query.ts'
import type { MediaHosts } from '../messages/media-hosts.ts'
import {
  createKeyReader,
  queryCollection,
  readVersion,
  type SyncContext,
  syncCollection,
} from './settings-sync.ts'

export type Change = Parameters<typeof chatModificationToAppPatch>[0]
export type PatchCreate = ReturnType<typeof chatModificationToAppPatch>

/** Another device has written since our version. */
const CONFLICT = 409
const MAX_TRIES = 3
const KEYS_TIMEOUT_MS = 5 * SECOND

const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const

/**
 * Not by the library's own call: it reads a refused collection as an accepted one, and blocks
 * everything else that the session sends while the network is unresponsive.
 */
export class SettingsPatches {
  readonly #sock: WASocket
  readonly #context: SyncContext
  readonly #mutex = createMutex()

  constructor(sock: WASocket, media: Pick<MediaHosts, 'downloadFile'>) {
    this.#sock = sock
    this.#context = { sock, media }
  }

  /** Done once the phone has shared the keys. */
  waitUntilReady(deadline: AbortSignal): Promise<NetworkOutcome> {
    return runRequest(this.#sock, deadline, async () => {
      const soon = AbortSignal.timeout(KEYS_TIMEOUT_MS)
      const { creds } = this.#sock.authState
      if (!creds.myAppStateKeyId) await waitForKeys(this.#sock, AbortSignal.any([deadline, soon]))
      return { kind: 'done', value: undefined }
    })
  }

  /** Requests the settings from before this device was linked. */
  catchUp(deadline: AbortSignal): Promise<NetworkOutcome> {
    return runRequest(this.#sock, deadline, () => this.#mutex(() => this.#syncMissing(deadline)))
  }

  /** Done only when the network has accepted it. `chat` is the network's id of it. */
  applyChange(change: Change, chat: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.applyPatch(chatModificationToAppPatch(change, chat), deadline)
  }

  applyPatch(patch: PatchCreate, deadline: AbortSignal): Promise<NetworkOutcome> {
    return runRequest(this.#sock, deadline, () => this.#mutex(() => this.#sendChange(patch, deadline)))
  }

  async #syncMissing(deadline: AbortSignal): Promise<NetworkOutcome> {
    const { keys } = this.#sock.authState
    const known = await keys.get('app-state-sync-version', [...COLLECTIONS])
    for (const name of COLLECTIONS.filter((one) => !known[one])) {
      const outcome = await syncCollection(this.#context, name, false, deadline)
      if (outcome.kind !== 'done') return outcome
    }
    return { kind: 'done', value: undefined }
  }

  async #sendChange(patch: PatchCreate, deadline: AbortSignal): Promise<NetworkOutcome> {
    const keyId = this.#sock.authState.creds.myAppStateKeyId
    if (!keyId) return { kind: 'unknown', message: 'there are no keys' }
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#sendPatch(patch, keyId, deadline)
      const stale = outcome.kind === 'refused' && outcome.code === CONFLICT
      if (!stale || tries === MAX_TRIES || deadline.aborted) return outcome
      Effect.current?.repeat()
      const synced = await syncCollection(this.#context, patch.type, tries > 1, deadline)
      if (synced.kind !== 'done') return synced
    }
  }

  async #sendPatch(create: PatchCreate, keyId: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    const sock = this.#sock
    const { type: name, operation } = create
    const version = await readVersion(sock, name)
    const { patch, state } = await encodeSyncdPatch(create, keyId, version, createKeyReader(sock))
    const index = Buffer.from(patch.mutations?.[0]?.record?.index?.blob ?? []).toString('base64')
    // The library leaves the removed entry, and would subtract it again from the hash of the next patch.
    if (operation === proto.SyncdMutation.SyncdOperation.REMOVE) delete state.indexValueMap[index]
    const content: BinaryNode[] = [
      { tag: 'patch', attrs: {}, content: proto.SyncdPatch.encode(patch).finish() },
    ]
    const attrs = { name, version: `${state.version - 1}`, return_snapshot: 'false' }
    const outcome = await queryCollection(sock, attrs, content, deadline)
    if (outcome.kind !== 'done') return outcome
    // A version that arrived during the request is newer, and includes this patch.
    if ((await readVersion(sock, name)).version < state.version)
      await sock.authState.keys.set({ 'app-state-sync-version': { [name]: state } })
    return dropValue(outcome)
  }
}

function waitForKeys(sock: WASocket, deadline: AbortSignal): Promise<void> {
  const shared = Promise.withResolvers<void>()
  const onCreds = ({ myAppStateKeyId }: { myAppStateKeyId?: string | undefined }) => {
    if (myAppStateKeyId) shared.resolve()
  }
  const onAbort = () => shared.reject(new Error('the phone has not shared its keys'))
  sock.ev.on('creds.update', onCreds)
  deadline.addEventListener('abort', onAbort, { once: true })
  return shared.promise.finally(() => {
    sock.ev.off('creds.update', onCreds)
    deadline.removeEventListener('abort', onAbort)
  })
}
