// The outcome of an act that sends a message, kept by the very commit that keeps that the message was sent.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { Statement } from '../../shared/db/statements.ts'

export interface Settling {
  /** The outcome is on disk. */
  readonly settled: boolean
  /** What keeps it, now that the message is proven to be sent. */
  statement(record: MessageRecord): Statement
  done(): void
}
