// Handles a companion that could not decrypt a phone's message: begins a new session and sends it again.
import { proto } from '../codec/protobuf.ts'
import { bytesOf, child, type Stanza } from '../codec/stanza.ts'
import { KEY_TYPE, typed, verify } from '../crypto/curve.ts'
import { type KeyBundle, takeBundle } from '../network/key-bundles.ts'
import { chatOfMessage, isGroupChat, isReader } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import { beginSession } from './ciphers.ts'
import { attachmentIn } from './content.ts'
import { ownSenderKey } from './group-ciphers.ts'
import { sendCopy } from './sending.ts'

const MOST_RETRIES = 5

export type Retry = { reader: Account; device: number; id: string; count: number; receipt: Stanza }

export async function resend(
  network: Network,
  phone: Account,
  { reader, device, id, count, receipt }: Retry,
) {
  const message = network.store.messages.find(id, phone.number)
  const to = message && chatOfMessage(network, message)
  if (!message?.content || to === undefined || count > MOST_RETRIES) return
  // Only who had the message may have it again.
  if (reader.number !== phone.number && !isReader(network, message, reader)) return
  const bundle = enclosedBundle(network, reader, device, receipt) ?? takeBundle(network, reader, device)
  if (bundle === undefined) return
  await beginSession(network, phone, { number: reader.number, device }, bundle)
  const { form, sentAt } = message
  // In a group the sender key is sent again too, because the device may lack it.
  const key = isGroupChat(to) ? ownSenderKey(network, phone, to) : {}
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
    type: attachmentIn(written) === undefined ? 'text' : 'media',
  })
}

/** From its second attempt on a companion adds new keys. They are used only if its identity has signed them. */
function enclosedBundle(
  network: Network,
  reader: Account,
  device: number,
  receipt: Stanza,
): KeyBundle | undefined {
  const companion = network.store.companions.find(reader.number, device)
  const keys = child(receipt, 'keys')
  const skey = child(keys, 'skey')
  const signedId = bytesOf(skey, 'id')
  const signedKey = bytesOf(skey, 'value')
  const signature = bytesOf(skey, 'signature')
  const preKey = child(keys, 'key')
  const preKeyId = bytesOf(preKey, 'id')
  const preKeyValue = bytesOf(preKey, 'value')
  if (!companion || !bytesOf(keys, 'type')?.equals(KEY_TYPE)) return undefined
  if (!bytesOf(keys, 'identity')?.equals(companion.identity)) return undefined
  if (signedId?.length !== 3 || signedKey?.length !== 32 || !signature) return undefined
  if (!verify(companion.identity, typed(signedKey), signature)) return undefined
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
