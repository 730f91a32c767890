// The outcome of an act that sends a message, stored in the same commit as the sent message.

import type { MessageRecord } from '../../shared/contract/message-requests.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'

export interface OutcomeCommit {
  /** The outcome is on disk. */
  readonly isStored: boolean
  /** Stores the outcome, once the message is proven to be sent. */
  buildStatement(record: MessageRecord): Statement
  markStored(): void
}
