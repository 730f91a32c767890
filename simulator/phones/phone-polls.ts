// Polls from phones, and votes in the polls of others, encrypted with the poll's secret.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { hkdf, sealGcm, sha256 } from '../crypto/ciphers.ts'
import { formatAddress } from '../network/address.ts'
import { type Chat, isGroupChat } from '../network/messages/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import type { Poll } from '../store/poll-table.ts'
import { sendFromPhone } from './send-from-phone.ts'

const IV = 12

export type PollInput = { name: string; choices: string[]; selectable: number }

export function buildPollMessage({ name, choices, selectable }: PollInput): proto.IMessage {
  const creation = {
    name,
    options: choices.map((optionName) => ({ optionName })),
    selectableOptionsCount: selectable,
  }
  const messageContextInfo = { messageSecret: randomBytes(32) }
  // With one choice only, phones write the third form.
  return selectable === 1
    ? { messageContextInfo, pollCreationMessageV3: creation }
    : { messageContextInfo, pollCreationMessage: creation }
}

/** Each vote replaces the voter's last one; a vote without choices withdraws it. */
export function sendVote(
  network: Network,
  by: Account,
  { message, creator, chat }: { message: Message; creator: Account; chat: Chat },
  poll: Poll,
  choices: string[],
): Promise<string> {
  const { form, id } = message
  const own = by.number === creator.number
  const to = own || isGroupChat(chat) ? chat : creator
  const voter = formatAddress(by, form)
  const creatorJid = formatAddress(creator, form)
  const options = choices.map((choice) => sha256(Buffer.from(choice)))
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions: options }).finish()
  const key = hkdf(poll.secret, 32, undefined, `${id}${creatorJid}${voter}Poll Vote`)
  const encIv = randomBytes(IV)
  const encPayload = sealGcm(key, encIv, plain, Buffer.from(`${id}\0${voter}`))
  const place = isGroupChat(to)
    ? { remoteJid: to.jid, participant: creatorJid }
    : { remoteJid: 'number' in to ? formatAddress(to, form) : creatorJid }
  const pollUpdateMessage = {
    pollCreationMessageKey: { id, fromMe: own, ...place },
    vote: { encPayload, encIv },
    senderTimestampMs: Date.now(),
  }
  return sendFromPhone(network, { from: by, to, form, message: { pollUpdateMessage }, type: 'poll' })
}
