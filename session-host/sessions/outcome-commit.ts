// The outcome of an act that sends a message, stored in the same commit as the sent message.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { crashIfArmed } from '../process/crash-points.ts'

export class OutcomeCommit {
  readonly #buildOutcome: (record: MessageRecord) => Statement
  #isStored = false

  constructor(buildOutcome: (record: MessageRecord) => Statement) {
    this.#buildOutcome = buildOutcome
  }

  /** The outcome is on disk. */
  get isStored(): boolean {
    return this.#isStored
  }

  /** Stores the outcome, once the message is proven to be sent. */
  buildStatement(record: MessageRecord): Statement {
    crashIfArmed('before-outcome')
    return this.#buildOutcome(record)
  }

  markStored(): void {
    crashIfArmed('after-outcome')
    this.#isStored = true
  }
}
