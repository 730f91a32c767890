// Asks the account's phone to upload a file again that the media hosts no longer have, and reads its answer.

import {
  type BinaryNode,
  decodeMediaRetryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  proto,
  type WASocket,
} from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import { STATUS } from '../../../../shared/jid.ts'
import type { Clock } from '../../../clock.ts'
import { networkId } from '../../../message-names.ts'
import type { Answer, OwnKey } from '../../driver.ts'
import { downloadRefusals } from '../../media.ts'
import { answered } from '../connection/ask.ts'
import { outward } from '../ids.ts'

/** Phones that are on answer within a few seconds, or when they have uploaded the file. */
const ANSWER_MS = 25 * SECOND
/** The phone's own code for a file that it no longer has. */
const { NOT_FOUND, SUCCESS } = proto.MediaRetryNotification.ResultType

type DirectPath = Answer<string>

export interface MediaRetries {
  /** The new direct path of the file. Requests for one message at the same time share the phone's answer. */
  request(key: OwnKey, mediaKey: Uint8Array, deadline: AbortSignal): Promise<DirectPath>
}

const silent: DirectPath = {
  kind: 'refused',
  code: downloadRefusals.phoneSilent,
  message: 'the phone did not answer',
}
const lost: DirectPath = {
  kind: 'refused',
  code: downloadRefusals.lost,
  message: 'the phone does not have the file',
}

export function makeMediaRetries(sock: WASocket, clock: Clock): MediaRetries {
  const waiting = new Map<string, { answer: Promise<DirectPath>; take(node: BinaryNode): void }>()

  // Not the library's event, which is held back while messages of an absence arrive.
  sock.ws.on('CB:notification,type:mediaretry', (node: BinaryNode) => {
    waiting.get(node.attrs.id ?? '')?.take(node)
  })

  function ask(id: string, key: OwnKey, mediaKey: Uint8Array): Promise<DirectPath> {
    const { promise, resolve } = Promise.withResolvers<DirectPath>()
    const cancel = clock.after(ANSWER_MS, () => resolve(silent))
    const answer = promise.finally(() => {
      cancel()
      waiting.delete(id)
    })
    const take = (node: BinaryNode) => {
      const path = readAnswer(node, mediaKey)
      if (path) resolve(path)
    }
    waiting.set(id, { answer, take })
    const request = encryptMediaRetryRequest(
      placeOf(key),
      Buffer.from(mediaKey),
      sock.authState.creds.me?.id ?? '',
    )
    sock.sendNode(request).catch((thrown) => resolve({ kind: 'silent', message: String(thrown) }))
    return answer
  }

  return {
    request(key, mediaKey, deadline) {
      const id = networkId(key.messageid)
      return answered(() => waiting.get(id)?.answer ?? ask(id, key, mediaKey), deadline)
    },
  }
}

function placeOf({ messageid, chatid, sender, fromMe, isGroup }: OwnKey) {
  const isShared = isGroup || chatid === STATUS
  return {
    ...{ id: networkId(messageid), remoteJid: outward(chatid), fromMe },
    ...(isShared && !fromMe && { participant: outward(sender) }),
  }
}

/** Undefined for an answer that is not by the phone: it is sealed with the key of the file. */
function readAnswer(node: BinaryNode, mediaKey: Uint8Array): DirectPath | undefined {
  try {
    const { key, media, error } = decodeMediaRetryNode(node)
    const code = Number((error?.data as BinaryNode['attrs'] | undefined)?.code)
    if (code === NOT_FOUND) return lost
    if (!media) return { kind: 'refused', code, message: `the phone answered ${code}` }
    const told = decryptMediaRetryData(media, mediaKey, key.id ?? '')
    if (told.stanzaId !== key.id) return undefined
    if (told.result === NOT_FOUND) return lost
    if (told.result === SUCCESS && told.directPath) return { kind: 'done', value: told.directPath }
    return { kind: 'refused', code: told.result ?? 0, message: `the phone answered ${told.result}` }
  } catch {
    return undefined
  }
}
