// Polls from phones, and votes in the polls of others, encrypted with the poll's secret.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { sha256 } from '../crypto/ciphers.ts'
import { formatAddress } from '../network/address.ts'
import { type Chat, isGroupChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import type { Poll } from '../store/poll-table.ts'
import { sealChange } from './seal-change.ts'
import { sendFromPhone } from './send-from-phone.ts'

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
  { choices, garbled = false }: { choices: string[]; garbled?: boolean | undefined },
): Promise<string> {
  const { form, id } = message
  const own = by.number === creator.number
  const to = own || isGroupChat(chat) ? chat : creator
  const creatorJid = formatAddress(creator, form)
  const options = choices.map((choice) => sha256(Buffer.from(choice)))
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions: options }).finish()
  const place = isGroupChat(to)
    ? { remoteJid: to.jid, participant: creatorJid }
    : { remoteJid: 'number' in to ? formatAddress(to, form) : creatorJid }
  const vote = sealChange(poll.secret, { target: message, author: creator, by }, 'Poll Vote', plain)
  // Its tag is wrong then.
  if (garbled) vote.encPayload[0] = (vote.encPayload[0] ?? 0) ^ 1
  const pollUpdateMessage = {
    pollCreationMessageKey: { id, fromMe: own, ...place },
    vote,
    senderTimestampMs: Date.now(),
  }
  return sendFromPhone(network, { from: by, to, form, message: { pollUpdateMessage }, type: 'poll' })
}
