// The chat of a message: a person or a group.
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import type { Message } from '../store/message-table.ts'
import { formatAddress, isGroupJid, STATUS, toNeutralId } from './address.ts'
import type { Network } from './simulated-network.ts'

export type Chat = Account | Group

/** Status posts are sent as in a group of which only the name is known. */
export type SharedChat = Pick<Group, 'jid' | 'form'>
export type ChatTarget = Chat | SharedChat

export function isGroupChat(chat: Chat): chat is Group {
  return 'jid' in chat
}

export function isSharedChat(place: ChatTarget): place is SharedChat {
  return 'jid' in place
}

/** The network's key of the chat: a group's id, or an account's number. */
export function getChatKey(chat: ChatTarget): string {
  return isSharedChat(chat) ? chat.jid : chat.number
}

/** The chat's id in the control interface. */
export function getChatName(chat: ChatTarget): string {
  return isSharedChat(chat) ? chat.jid : toNeutralId(chat.number)
}

/** The chat of a message that the network carried, if it still exists. */
export function findChat(network: Network, { chat }: Message): Chat | undefined {
  return isGroupJid(chat) ? network.store.groups.find(chat) : network.store.accounts.find(chat)
}

/** Whether a message concerns this account, which did not send it. */
export function isReader(network: Network, { chat, sender }: Message, account: Account): boolean {
  // The network does not store the audience of a status post, so all other accounts count.
  if (chat === STATUS) return account.number !== sender
  return isGroupJid(chat)
    ? network.store.groups.findMember(chat, account.number) !== undefined
    : chat === account.number
}

/** The two addresses of a group member, under the names of their attributes. */
export function buildMemberAttrs(account: Account, { form }: Group): Record<string, string> {
  return form === 'pn'
    ? { jid: formatAddress(account, 'pn'), lid: formatAddress(account, 'lid') }
    : { jid: formatAddress(account, 'lid'), phone_number: formatAddress(account, 'pn') }
}
