// What somebody sends from his phone.
import type { proto } from '../codec/protobuf.ts'
import type { Chat } from '../network/chats.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'

/** A group's own form of addresses counts there. */
export type SendRequest = {
  from: Account
  to: Chat
  form: Form
  message: proto.IMessage
  type: 'text' | 'media' | 'reaction'
  edit?: string | undefined
}
