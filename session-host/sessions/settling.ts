// The outcome of an act that sends a message, stored in the same commit as the sent message.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { Statement } from '../../shared/db/statements.ts'

export interface Settling {
  /** The outcome is on disk. */
  readonly settled: boolean
  /** Stores the outcome, once the message is proven to be sent. */
  statement(record: MessageRecord): Statement
  done(): void
}
