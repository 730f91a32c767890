// A request to send a message from a phone.
import type { proto } from '../codec/protobuf.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import type { Form } from '../store/messages.ts'

/** In a group the group's form of addresses is used. */
export type SendRequest = {
  from: Account
  to: Account | Group
  form: Form
  message: proto.IMessage
  type: 'text' | 'media' | 'reaction' | 'poll'
  edit?: string | undefined
  /** A new id if it is absent. */
  id?: string | undefined
}
