// Patch: of a group's author only the newest skipped message keys are stored, in few characters; a key of a wrong length is refused.

import { BufferJSON } from 'baileys'
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyRecord,
  type SenderKeyState,
} from 'baileys/lib/Signal/Group/index.js'
import type { Patch } from './patch.ts'

/** A message that arrives after this many later ones of its author cannot be decrypted. The library skips every second key as it sends. */
const MAX_SKIPPED = 100
const CHAIN_KEY_BYTES = 32
/** Without its type, and with it. */
const SIGNING_KEY_BYTES = [32, 33]

const builder = GroupSessionBuilder.prototype
const processKey = builder.process
const record = SenderKeyRecord.prototype
const serialize = record.serialize
type State = ReturnType<typeof serialize>[number]

/** Read as a Buffer by the library. What it writes itself, a number for each byte, it reads as an object. */
const toWritten = (bytes: Uint8Array | undefined): Uint8Array =>
  BufferJSON.replacer('', Buffer.from(bytes ?? []))

const toWrittenKey = (key: State['senderChainKey']) => ({ ...key, seed: toWritten(key.seed) })

function toWrittenState({ senderKeyId, senderChainKey, senderSigningKey, senderMessageKeys }: State): State {
  // Nobody sends to this device with its own key.
  const isOwn = Buffer.from(senderSigningKey.private ?? []).length > 0
  return {
    senderKeyId,
    senderChainKey: toWrittenKey(senderChainKey),
    senderSigningKey: {
      public: toWritten(senderSigningKey.public),
      private: toWritten(senderSigningKey.private),
    },
    senderMessageKeys: isOwn ? [] : senderMessageKeys.slice(-MAX_SKIPPED).map(toWrittenKey),
  }
}

function serializeNewest(this: SenderKeyRecord): State[] {
  return serialize.call(this).map(toWrittenState)
}

/** Further than this the library refuses a message. */
const MAX_AHEAD = 2000

/** The private part of the library's cipher. */
interface Deciphering {
  getSenderKey(state: SenderKeyState, iteration: number): object
}

const cipher = GroupCipher.prototype as unknown as Deciphering
const advance = cipher.getSenderKey

/** Goes on to the first key that is stored, without deriving from each before it what would decrypt a message. */
function advanceToStored(this: Deciphering, state: SenderKeyState, iteration: number): object {
  let chain = state.getSenderChainKey()
  if (iteration - chain.getIteration() > MAX_AHEAD) return advance.call(this, state, iteration)
  while (chain.getIteration() < iteration - MAX_SKIPPED) chain = chain.getNext()
  state.setSenderChainKey(chain)
  return advance.call(this, state, iteration)
}

/** Any sender may name any group in a message to this account alone. */
const processBounded: typeof processKey = async function (this: GroupSessionBuilder, name, key) {
  const [chain, signing] = [key.getChainKey()?.length, key.getSignatureKey()?.length]
  if (chain !== CHAIN_KEY_BYTES || !SIGNING_KEY_BYTES.includes(signing)) throw new Error('Invalid sender key')
  return processKey.call(this, name, key)
}

export const boundedSenderKeys: Patch = {
  name: 'bounded-sender-keys',
  library: 'baileys@7.0.0-rc14',
  fault:
    "The record of a sender key has up to 2,000 skipped message keys in each of five chains, a number for each byte, which it cannot read again; the own one gets another with each message; and the parts of others' keys have any length.",
  why: "After a thousand messages to one group each took the thread of all sessions tens of milliseconds, as did each of an author who skipped as many; and a few messages of any stranger, with keys of hundreds of kilobytes, stopped it for seconds, so that others' sends ended as unknown.",
  upstream:
    'To file with WhiskeySockets/Baileys: "GroupCipher.encrypt skips every second message key and stores it for ever, and a late group message fails with Expected Buffer instead of: Object". With a thousand messages to a group, and two that arrive in the other order.',
  until:
    'Baileys sends with each key of the chain in turn, stores a bounded record with base64, and checks the lengths of a sender key.',
  apply() {
    record.serialize = serializeNewest
    builder.process = processBounded
    cipher.getSenderKey = advanceToStored
  },
}
