// Asks the account's phone to upload a file again that the media hosts no longer have, and reads its response.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import {
  type BinaryNode,
  decodeMediaRetryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  proto,
  type WASocket,
} from 'baileys'
import type { Clock } from '../../../process/machine-clock.ts'
import type { NetworkOutcome, OwnKey } from '../../driver.ts'
import { downloadRefusals } from '../../media-network.ts'
import { toNetworkId } from '../../message-names.ts'
import { runRequest } from '../connection/network-query.ts'
import { toNetworkJid } from '../ids.ts'

/** Phones that are on answer within a few seconds, or when they have uploaded the file. */
const RESPONSE_MS = 25 * SECOND
/** The phone's own code for a file that it no longer has. */
const { NOT_FOUND, SUCCESS } = proto.MediaRetryNotification.ResultType

type DirectPath = NetworkOutcome<string>

const phoneUnresponsive: DirectPath = {
  kind: 'refused',
  code: downloadRefusals.phoneUnresponsive,
  message: 'the phone did not respond',
}
const fileMissing: DirectPath = {
  kind: 'refused',
  code: downloadRefusals.missing,
  message: 'the phone does not have the file',
}

export class MediaRetries {
  readonly #sock: WASocket
  readonly #clock: Clock
  readonly #waiting = new Map<
    string,
    { outcome: Promise<DirectPath>; handleResponse(node: BinaryNode): void }
  >()

  constructor(sock: WASocket, clock: Clock) {
    this.#sock = sock
    this.#clock = clock
    // Not the library's event, which is delayed while messages of an absence arrive.
    sock.ws.on('CB:notification,type:mediaretry', (node: BinaryNode) => {
      this.#waiting.get(node.attrs.id ?? '')?.handleResponse(node)
    })
  }

  /** The new direct path of the file. Requests for one message at the same time share the phone's response. */
  requestUpload(key: OwnKey, mediaKey: Uint8Array, deadline: AbortSignal): Promise<DirectPath> {
    const id = toNetworkId(key.messageid)
    const work = () => this.#waiting.get(id)?.outcome ?? this.#sendRequest(id, key, mediaKey)
    // The phone has its own time, after which it is known that it does not respond.
    return runRequest(this.#sock, deadline, work, { endsWithSocket: false })
  }

  #sendRequest(id: string, key: OwnKey, mediaKey: Uint8Array): Promise<DirectPath> {
    const { promise, resolve } = Promise.withResolvers<DirectPath>()
    const cancel = this.#clock.runAfter(RESPONSE_MS, () => resolve(phoneUnresponsive))
    const outcome = promise.finally(() => {
      cancel()
      this.#waiting.delete(id)
    })
    const handleResponse = (node: BinaryNode) => {
      const path = readPhoneResponse(node, mediaKey)
      if (path) resolve(path)
    }
    this.#waiting.set(id, { outcome, handleResponse })
    const { id: own = '' } = this.#sock.authState.creds.me ?? {}
    const request = encryptMediaRetryRequest(toRetryKey(key), Buffer.from(mediaKey), own)
    this.#sock.sendNode(request).catch((error) => resolve({ kind: 'unknown', message: String(error) }))
    return outcome
  }
}

function toRetryKey({ messageid, chatid, sender, fromMe, isGroup }: OwnKey) {
  const isShared = isGroup || chatid === STATUS_JID
  return {
    id: toNetworkId(messageid),
    remoteJid: toNetworkJid(chatid),
    fromMe,
    ...(isShared && !fromMe && { participant: toNetworkJid(sender) }),
  }
}

/** Undefined for a response that is not by the phone: it is encrypted with the key of the file. */
function readPhoneResponse(node: BinaryNode, mediaKey: Uint8Array): DirectPath | undefined {
  try {
    const { key, media, error } = decodeMediaRetryNode(node)
    const code = Number((error?.data as BinaryNode['attrs'] | undefined)?.code)
    if (code === NOT_FOUND) return fileMissing
    if (!media) return { kind: 'refused', code, message: `the phone responded with ${code}` }
    const result = decryptMediaRetryData(media, mediaKey, key.id ?? '')
    if (result.stanzaId !== key.id) return undefined
    if (result.result === NOT_FOUND) return fileMissing
    if (result.result === SUCCESS && result.directPath) return { kind: 'done', value: result.directPath }
    return { kind: 'refused', code: result.result ?? 0, message: `the phone responded with ${result.result}` }
  } catch {
    return undefined
  }
}
