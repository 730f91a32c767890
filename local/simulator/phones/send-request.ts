// What somebody sends from his phone.
import type { proto } from '../codec/protobuf.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import type { Form } from '../store/messages.ts'

/** A group's own form of addresses counts there. */
export type SendRequest = {
  from: Account
  to: Account | Group
  form: Form
  message: proto.IMessage
  type: 'text' | 'media' | 'reaction' | 'poll'
  edit?: string | undefined
  /** A fresh one where it is not said. */
  id?: string | undefined
}
