// Answers a companion that could not download a file: with its new place, or that it is gone.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { child, type Stanza, stanza } from '../codec/stanza.ts'
import { hkdf, sealGcm } from '../crypto/ciphers.ts'
import { addressOf } from '../network/address.ts'
import { deliver } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { errorNode } from '../network/refusal.ts'
import { seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import { attachmentIn } from './content.ts'

const { SUCCESS } = proto.MediaRetryNotification.ResultType
const PURPOSE = 'WhatsApp Media Retry Notification'
/** The phone does not have it either. */
const NOT_FOUND = 2

export function answerMediaRetry(network: Network, phone: Account, device: number, receipt: Stanza) {
  const { id = '' } = receipt.attrs
  const meant = child(receipt, 'rmr')
  if (meant === undefined) return
  const attrs = { from: addressOf(phone, 'pn'), id, type: 'mediaretry', t: seconds() }
  const found = whereIs(network, id) ?? [errorNode(NOT_FOUND)]
  deliver(network, phone.number, device, stanza('notification', attrs, [meant, ...found]))
}

/** Only messages from phones can be looked up; the network cannot read those of companions. */
function whereIs({ store, media }: Network, id: string): Stanza[] | undefined {
  const content = store.messages.find(id)?.content
  const file = content && attachmentIn(proto.Message.decode(content))?.file
  if (!file?.mediaKey || !file.directPath || !media.has(file.directPath)) return undefined
  const { directPath, mediaKey } = file
  const told = proto.MediaRetryNotification.encode({ stanzaId: id, directPath, result: SUCCESS }).finish()
  const iv = randomBytes(12)
  const sealed = sealGcm(hkdf(mediaKey, 32, undefined, PURPOSE), iv, told, Buffer.from(id))
  return [stanza('encrypt', {}, [stanza('enc_p', {}, sealed), stanza('enc_iv', {}, iv)])]
}
