// The chat of a message: a person or a group.
import type { Account } from '../../store/accounts.ts'
import type { Group } from '../../store/groups.ts'
import type { Message } from '../../store/messages.ts'
import { addressOf, isGroup, neutralId, STATUS } from '../address.ts'
import type { Network } from '../network.ts'

export type Chat = Account | Group

/** Status posts are sent as in a group of which only the name is known. */
export type SharedChat = Pick<Group, 'jid' | 'form'>
export type Place = Chat | SharedChat

export function isGroupChat(chat: Chat): chat is Group {
  return 'jid' in chat
}

export function isSharedChat(place: Place): place is SharedChat {
  return 'jid' in place
}

/** The network's key of the chat: a group's id, or an account's number. */
export function chatKey(chat: Place): string {
  return isSharedChat(chat) ? chat.jid : chat.number
}

/** The chat's id in the control interface. */
export function chatName(chat: Place): string {
  return isSharedChat(chat) ? chat.jid : neutralId(chat.number)
}

/** The chat of a message that the network carried, if it still exists. */
export function chatOfMessage(network: Network, { chat }: Message): Chat | undefined {
  return isGroup(chat) ? network.store.groups.find(chat) : network.store.accounts.find(chat)
}

/** Whether a message concerns this account, which did not send it. */
export function isReader(network: Network, { chat, sender }: Message, account: Account): boolean {
  // The network does not store the audience of a status post, so all other accounts count.
  if (chat === STATUS) return account.number !== sender
  return isGroup(chat)
    ? network.store.groups.member(chat, account.number) !== undefined
    : chat === account.number
}

/** The two addresses of a group member, under the names of their attributes. */
export function inGroup(account: Account, { form }: Group): Record<string, string> {
  return form === 'pn'
    ? { jid: addressOf(account, 'pn'), lid: addressOf(account, 'lid') }
    : { jid: addressOf(account, 'lid'), phone_number: addressOf(account, 'pn') }
}
