// Handles a companion that could not decrypt a phone's message: begins a new session and sends it again.

import { proto } from '../codec/protobuf.ts'
import { findChild, readBytes, type Stanza } from '../codec/stanza.ts'
import { addKeyType, KEY_TYPE, verifySignature } from '../crypto/curve.ts'
import { type KeyBundle, takeBundle } from '../network/key-bundles.ts'
import { findChat, isGroupChat, isReader } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import { MAX_RETRIES } from '../network-limits.ts'
import type { Account } from '../store/account-table.ts'
import { findAttachment } from './describe-content.ts'
import { buildSenderKeyMessage } from './group-ciphers.ts'
import { beginSession } from './phone-ciphers.ts'
import { sendCopy } from './send-from-phone.ts'

export type Retry = { reader: Account; device: number; id: string; count: number; receipt: Stanza }

export async function resendMessage(
  network: Network,
  phone: Account,
  { reader, device, id, count, receipt }: Retry,
) {
  const message = network.store.messages.find(id, phone.number)
  const to = message && findChat(network, message)
  if (!message?.content || to === undefined || count > MAX_RETRIES) return
  // Only a recipient of the message gets it again.
  if (reader.number !== phone.number && !isReader(network, message, reader)) return
  const bundle = readBundle(network, reader, device, receipt) ?? takeBundle(network, reader, device)
  if (bundle === undefined) return
  await beginSession(network, phone, { number: reader.number, device }, bundle)
  const { form, sentAt } = message
  // In a group the sender key is sent again too, because the device may lack it.
  const key = isGroupChat(to) ? buildSenderKeyMessage(network, phone, to) : {}
  const written = proto.Message.decode(message.content)
  const content = proto.Message.encode({ ...written, ...key }).finish()
  await sendCopy(network, {
    from: phone,
    to,
    form,
    content,
    sentAt,
    id,
    account: reader,
    device,
    count,
    type: findAttachment(written) === undefined ? 'text' : 'media',
  })
}

/** From its second attempt on a companion adds new keys. They are used only if its identity has signed them. */
function readBundle(
  network: Network,
  reader: Account,
  device: number,
  receipt: Stanza,
): KeyBundle | undefined {
  const companion = network.store.companions.find(reader.number, device)
  const keys = findChild(receipt, 'keys')
  const skey = findChild(keys, 'skey')
  const signedId = readBytes(skey, 'id')
  const signedKey = readBytes(skey, 'value')
  const signature = readBytes(skey, 'signature')
  const preKey = findChild(keys, 'key')
  const preKeyId = readBytes(preKey, 'id')
  const preKeyValue = readBytes(preKey, 'value')
  if (!companion || !readBytes(keys, 'type')?.equals(KEY_TYPE)) return undefined
  if (!readBytes(keys, 'identity')?.equals(companion.identity)) return undefined
  if (signedId?.length !== 3 || signedKey?.length !== 32 || !signature) return undefined
  if (!verifySignature(companion.identity, addKeyType(signedKey), signature)) return undefined
  return {
    registration: companion.registration,
    identity: companion.identity,
    signedPreKey: { id: signedId.readUIntBE(0, 3), public: signedKey, signature },
    preKey:
      preKeyId?.length === 3 && preKeyValue?.length === 32
        ? { id: preKeyId.readUIntBE(0, 3), public: preKeyValue }
        : undefined,
  }
}
