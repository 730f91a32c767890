// Changes the settings that all devices of an account share: each change is a patch on this device's version.

import { type BinaryNode, chatModificationToAppPatch, encodeSyncdPatch, proto, type WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import { makeMutex } from '../../../mutex.ts'
import type { Answer } from '../../driver.ts'
import { answered, bare } from '../connection/ask.ts'
import type { MediaHost } from '../messages/media-host.ts'
import { askCollection, type Catching, catchUp, keyOf, versionOf } from './catching-up.ts'

type Change = Parameters<typeof chatModificationToAppPatch>[0]
type Create = ReturnType<typeof chatModificationToAppPatch>

/** Another device has written since our version. */
const CONFLICT = 409
const TRIES = 3
const KEYS_WITHIN_MS = 5 * SECOND

const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const

export interface Patches {
  /** Once the phone has shared the keys. */
  ready(deadline: AbortSignal): Promise<Answer>
  /** Requests the settings from before this device was linked. */
  catchUp(deadline: AbortSignal): Promise<Answer>
  /** Done only when the network has accepted it. `chat` is in the network's spelling. */
  apply(change: Change, chat: string, deadline: AbortSignal): Promise<Answer>
}

/**
 * Not by the library's own call: it reads a refused collection as an accepted one, and blocks
 * everything else that the session sends while the network is silent.
 */
export function makePatches(sock: WASocket, media: Pick<MediaHost, 'get'>): Patches {
  const { creds, keys } = sock.authState
  const mutex = makeMutex()
  const catching: Catching = { sock, media }

  async function put(create: Create, keyId: string, deadline: AbortSignal): Promise<Answer> {
    const { type: name, operation } = create
    const { patch, state } = await encodeSyncdPatch(create, keyId, await versionOf(sock, name), keyOf(sock))
    const index = Buffer.from(patch.mutations?.[0]?.record?.index?.blob ?? []).toString('base64')
    // The library keeps the removed entry, and would subtract it again from the hash of the next patch.
    if (operation === proto.SyncdMutation.SyncdOperation.REMOVE) delete state.indexValueMap[index]
    const content: BinaryNode[] = [
      { tag: 'patch', attrs: {}, content: proto.SyncdPatch.encode(patch).finish() },
    ]
    const attrs = { name, version: `${state.version - 1}`, return_snapshot: 'false' }
    const answer = await askCollection(sock, attrs, content, deadline)
    if (answer.kind !== 'done') return answer
    // A version that arrived meanwhile is newer, and includes this patch.
    if ((await versionOf(sock, name)).version < state.version)
      await keys.set({ 'app-state-sync-version': { [name]: state } })
    return bare(answer)
  }

  return {
    ready: (deadline) =>
      answered(async () => {
        const soon = AbortSignal.timeout(KEYS_WITHIN_MS)
        if (!creds.myAppStateKeyId) await keysShared(sock, AbortSignal.any([deadline, soon]))
        return { kind: 'done', value: undefined }
      }, deadline),
    catchUp: (deadline) =>
      answered(
        () =>
          mutex(async () => {
            const known = await keys.get('app-state-sync-version', [...COLLECTIONS])
            for (const name of COLLECTIONS.filter((one) => !known[one])) {
              const answer = await catchUp(catching, name, false, deadline)
              if (answer.kind !== 'done') return answer
            }
            return { kind: 'done', value: undefined }
          }),
        deadline,
      ),
    apply: (change, chat, deadline) =>
      answered(
        () =>
          mutex(async () => {
            const keyId = creds.myAppStateKeyId
            if (!keyId) return { kind: 'silent', message: 'there are no keys' }
            const create = chatModificationToAppPatch(change, chat)
            for (let tries = 1; ; tries += 1) {
              const answer = await put(create, keyId, deadline)
              const stale = answer.kind === 'refused' && answer.code === CONFLICT
              if (!stale || tries === TRIES || deadline.aborted) return answer
              const caught = await catchUp(catching, create.type, tries > 1, deadline)
              if (caught.kind !== 'done') return caught
            }
          }),
        deadline,
      ),
  }
}

function keysShared(sock: WASocket, deadline: AbortSignal): Promise<void> {
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
