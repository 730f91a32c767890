// Answers a companion that could not download a file: with its new place, or that it is gone.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { bytesOf, child, type Stanza, stanza } from '../codec/stanza.ts'
import { hkdf, openGcm, sealGcm } from '../crypto/ciphers.ts'
import { accountAt, addressOf, isGroup, parseAddress } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { errorNode } from '../network/refusal.ts'
import { seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Message } from '../store/messages.ts'
import { attachmentIn } from './content.ts'

const { SUCCESS } = proto.MediaRetryNotification.ResultType
const PURPOSE = 'WhatsApp Media Retry Notification'
/** The phone does not have it either. */
const NOT_FOUND = 2
const NOT_DECRYPTED = 3

export function answerMediaRetry(network: Network, phone: Account, device: number, receipt: Stanza) {
  const { id = '' } = receipt.attrs
  const meant = child(receipt, 'rmr')
  if (meant === undefined) return
  const file = fileNamed(network, phone, id, meant)
  if (file !== undefined && network.store.media.stateOf(tokenIn(file)).phone === 'offline') return
  const attrs = { from: addressOf(phone, 'pn'), id, type: 'mediaretry', t: seconds() }
  const found = file === undefined ? [errorNode(NOT_FOUND)] : answer(network, id, file, receipt)
  deliver(network, phone.number, device, stanza('notification', attrs, [meant, ...found]))
}

type File = { mediaKey: Uint8Array; fileEncSha256: Uint8Array }

const tokenIn = ({ fileEncSha256 }: File) => Buffer.from(fileEncSha256).toString('base64url')

/** Only messages from phones can be looked up; the network cannot read those of companions. */
function fileNamed({ store }: Network, phone: Account, id: string, { attrs }: Stanza): File | undefined {
  const message = store.messages.find(id)
  if (!message?.content || !isPlaceOf(store, phone, message, attrs.jid)) return undefined
  const file = attachmentIn(proto.Message.decode(message.content))?.file
  if (!file?.mediaKey || !file.fileEncSha256) return undefined
  return { mediaKey: file.mediaKey, fileEncSha256: file.fileEncSha256 }
}

/** Whether the companion names the chat that its phone has the message in. */
function isPlaceOf(
  store: Network['store'],
  phone: Account,
  { chat, sender }: Message,
  named: string | undefined,
): boolean {
  if (isGroup(chat)) return named === chat
  const other = chat === phone.number ? sender : chat
  return accountAt(store, parseAddress(named))?.number === other
}

function answer({ media }: Network, id: string, file: File, receipt: Stanza): Stanza[] {
  const key = hkdf(file.mediaKey, 32, undefined, PURPOSE)
  if (!isAskedFor(key, id, child(receipt, 'encrypt'))) return [errorNode(NOT_DECRYPTED)]
  const directPath = media.uploadAgain(tokenIn(file))
  if (directPath === undefined) return [errorNode(NOT_FOUND)]
  const told = proto.MediaRetryNotification.encode({ stanzaId: id, directPath, result: SUCCESS }).finish()
  const iv = randomBytes(12)
  const sealed = sealGcm(key, iv, told, Buffer.from(id))
  return [stanza('encrypt', {}, [stanza('enc_p', {}, sealed), stanza('enc_iv', {}, iv)])]
}

/** Whether the companion has the key of the file. */
function isAskedFor(key: Buffer, id: string, encrypted: Stanza | undefined): boolean {
  const sealed = bytesOf(encrypted, 'enc_p')
  const iv = bytesOf(encrypted, 'enc_iv')
  if (sealed === undefined || iv === undefined) return false
  try {
    const asked = openGcm(key, Buffer.from(iv), sealed, Buffer.from(id))
    return proto.ServerErrorReceipt.decode(asked).stanzaId === id
  } catch {
    return false
  }
}
