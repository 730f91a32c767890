// A request to send a message from a phone.
import type { proto } from '../codec/protobuf.ts'
import type { Account } from '../store/account-table.ts'
import type { Group } from '../store/group-table.ts'
import type { AddressForm } from '../store/message-table.ts'

/** In a group the group's form of addresses is used. */
export type SendRequest = {
  from: Account
  to: Account | Group
  form: AddressForm
  message: proto.IMessage
  /** What phones show of it, where companions get it encrypted once more. */
  shown?: proto.IMessage | undefined
  /** Companions do not get it yet. */
  held?: boolean | undefined
  type: 'text' | 'media' | 'reaction' | 'poll'
  edit?: string | undefined
  /** The file is for phones: companions get a notice in place of it. */
  viewOnce?: boolean
  /** Milliseconds; now if it is absent. */
  sentAt?: number | undefined
  /** A new id if it is absent. */
  id?: string | undefined
}
