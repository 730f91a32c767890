// Asks the account's phone to upload a file again that the media hosts no longer have, and reads its answer.

import {
  type BinaryNode,
  decodeMediaRetryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  proto,
  type WASocket,
} from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import { STATUS_JID } from '../../../../shared/jid.ts'
import type { Clock } from '../../../machine-clock.ts'
import { toNetworkId } from '../../../message-names.ts'
import type { NetworkOutcome, OwnKey } from '../../driver.ts'
import { downloadRefusals } from '../../media-network.ts'
import { runRequest } from '../connection/network-query.ts'
import { toNetworkJid } from '../ids.ts'

/** Phones that are on answer within a few seconds, or when they have uploaded the file. */
const RESPONSE_MS = 25 * SECOND
/** The phone's own code for a file that it no longer has. */
const { NOT_FOUND, SUCCESS } = proto.MediaRetryNotification.ResultType

type DirectPath = NetworkOutcome<string>

export interface MediaRetries {
  /** The new direct path of the file. Requests for one message at the same time share the phone's answer. */
  requestUpload(key: OwnKey, mediaKey: Uint8Array, deadline: AbortSignal): Promise<DirectPath>
}

const phoneUnresponsive: DirectPath = {
  kind: 'refused',
  code: downloadRefusals.phoneUnresponsive,
  message: 'the phone did not answer',
}
const fileMissing: DirectPath = {
  kind: 'refused',
  code: downloadRefusals.missing,
  message: 'the phone does not have the file',
}

export function createMediaRetries(sock: WASocket, clock: Clock): MediaRetries {
  const waiting = new Map<string, { outcome: Promise<DirectPath>; handleResponse(node: BinaryNode): void }>()

  // Not the library's event, which is held back while messages of an absence arrive.
  sock.ws.on('CB:notification,type:mediaretry', (node: BinaryNode) => {
    waiting.get(node.attrs.id ?? '')?.handleResponse(node)
  })

  function sendRequest(id: string, key: OwnKey, mediaKey: Uint8Array): Promise<DirectPath> {
    const { promise, resolve } = Promise.withResolvers<DirectPath>()
    const cancel = clock.runAfter(RESPONSE_MS, () => resolve(phoneUnresponsive))
    const outcome = promise.finally(() => {
      cancel()
      waiting.delete(id)
    })
    const handleResponse = (node: BinaryNode) => {
      const path = readPhoneResponse(node, mediaKey)
      if (path) resolve(path)
    }
    waiting.set(id, { outcome, handleResponse })
    const request = encryptMediaRetryRequest(
      toRetryKey(key),
      Buffer.from(mediaKey),
      sock.authState.creds.me?.id ?? '',
    )
    sock.sendNode(request).catch((error) => resolve({ kind: 'unknown', message: String(error) }))
    return outcome
  }

  return {
    requestUpload(key, mediaKey, deadline) {
      const id = toNetworkId(key.messageid)
      return runRequest(() => waiting.get(id)?.outcome ?? sendRequest(id, key, mediaKey), deadline)
    },
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

/** Undefined for an answer that is not by the phone: it is sealed with the key of the file. */
function readPhoneResponse(node: BinaryNode, mediaKey: Uint8Array): DirectPath | undefined {
  try {
    const { key, media, error } = decodeMediaRetryNode(node)
    const code = Number((error?.data as BinaryNode['attrs'] | undefined)?.code)
    if (code === NOT_FOUND) return fileMissing
    if (!media) return { kind: 'refused', code, message: `the phone answered ${code}` }
    const result = decryptMediaRetryData(media, mediaKey, key.id ?? '')
    if (result.stanzaId !== key.id) return undefined
    if (result.result === NOT_FOUND) return fileMissing
    if (result.result === SUCCESS && result.directPath) return { kind: 'done', value: result.directPath }
    return { kind: 'refused', code: result.result ?? 0, message: `the phone answered ${result.result}` }
  } catch {
    return undefined
  }
}
