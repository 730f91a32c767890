// Responds to a companion that could not download a file: with its new path, or that it no longer exists.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { buildStanza, findChild, readBytes, type Stanza } from '../codec/stanza.ts'
import { hkdf, openGcm, sealGcm } from '../crypto/ciphers.ts'
import { findAccount, formatAddress, isGroupJid, parseAddress } from '../network/address.ts'
import { deliverStanza } from '../network/deliver-stanza.ts'
import { buildErrorNode } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import { findAttachment } from './describe-content.ts'

const { SUCCESS } = proto.MediaRetryNotification.ResultType
const PURPOSE = 'WhatsApp Media Retry Notification'
/** The phone does not have it either. */
const NOT_FOUND = 2
const NOT_DECRYPTED = 3

export function respondToMediaRetry(network: Network, phone: Account, device: number, receipt: Stanza) {
  const { id = '' } = receipt.attrs
  const target = findChild(receipt, 'rmr')
  if (target === undefined) return
  const file = findFile(network, phone, id, target)
  if (file !== undefined && network.store.media.readState(formatToken(file)).phone === 'offline') return
  const attrs = { from: formatAddress(phone, 'pn'), id, type: 'mediaretry', t: formatSeconds() }
  const found = file === undefined ? [buildErrorNode(NOT_FOUND)] : buildResponse(network, id, file, receipt)
  deliverStanza(network, phone.number, device, buildStanza('notification', attrs, [target, ...found]))
}

type File = { mediaKey: Uint8Array; fileEncSha256: Uint8Array }

const formatToken = ({ fileEncSha256 }: File) => Buffer.from(fileEncSha256).toString('base64url')

/** Only messages from phones can be looked up; the network cannot read those of companions. */
function findFile({ store }: Network, phone: Account, id: string, { attrs }: Stanza): File | undefined {
  const message = store.messages.find(id)
  if (!message?.content || !matchesChat(store, phone, message, attrs.jid)) return undefined
  const file = findAttachment(proto.Message.decode(message.content))?.file
  if (!file?.mediaKey || !file.fileEncSha256) return undefined
  return { mediaKey: file.mediaKey, fileEncSha256: file.fileEncSha256 }
}

/** Whether the companion names the chat that its phone has the message in. */
function matchesChat(
  store: Network['store'],
  phone: Account,
  { chat, sender }: Message,
  named: string | undefined,
): boolean {
  if (isGroupJid(chat)) return named === chat
  const other = chat === phone.number ? sender : chat
  return findAccount(store, parseAddress(named))?.number === other
}

function buildResponse({ media }: Network, id: string, file: File, receipt: Stanza): Stanza[] {
  const key = hkdf(file.mediaKey, 32, undefined, PURPOSE)
  if (!hasFileKey(key, id, findChild(receipt, 'encrypt'))) return [buildErrorNode(NOT_DECRYPTED)]
  const directPath = media.reuploadFile(formatToken(file))
  if (directPath === undefined) return [buildErrorNode(NOT_FOUND)]
  const notification = proto.MediaRetryNotification.encode({
    stanzaId: id,
    directPath,
    result: SUCCESS,
  }).finish()
  const iv = randomBytes(12)
  const sealed = sealGcm(key, iv, notification, Buffer.from(id))
  return [buildStanza('encrypt', {}, [buildStanza('enc_p', {}, sealed), buildStanza('enc_iv', {}, iv)])]
}

/** Whether the companion has the key of the file. */
function hasFileKey(key: Buffer, id: string, encrypted: Stanza | undefined): boolean {
  const sealed = readBytes(encrypted, 'enc_p')
  const iv = readBytes(encrypted, 'enc_iv')
  if (sealed === undefined || iv === undefined) return false
  try {
    const request = openGcm(key, Buffer.from(iv), sealed, Buffer.from(id))
    return proto.ServerErrorReceipt.decode(request).stanzaId === id
  } catch {
    return false
  }
}
