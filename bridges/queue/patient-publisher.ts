// Publishes until it is done: while the queue is away, messages wait and the connection is tried again after growing pauses.

import { setTimeout as wait } from 'node:timers/promises'
import { lengthenPause } from '@msgnet/client/repeats.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { NotTaken, type Queue, type QueueConnection, type QueueMessage } from './queue-publisher.ts'

/** In seconds. */
const PAUSE = { first: 1, longest: 60 }

export class PatientPublisher {
  readonly #queue: Queue
  #connecting: Promise<QueueConnection> | undefined
  #connection: QueueConnection | undefined
  /** Since the last message that was stored. */
  #failed = 0

  constructor(queue: Queue) {
    this.#queue = queue
  }

  /** Throws an OperatorError if the queue refuses; anything else is tried again. */
  async publish(message: QueueMessage): Promise<void> {
    for (let notTaken = 0; ; ) {
      const connection = await this.connect()
      try {
        await connection.publish(message)
        this.#reportReturn()
        return
      } catch (error) {
        if (error instanceof OperatorError) throw error
        if (error instanceof NotTaken) await this.#waitWithMessage(message, error, notTaken++)
        else this.#drop(connection, error)
      }
    }
  }

  /** The open connection, or the next one. */
  connect(): Promise<QueueConnection> {
    this.#connecting ??= this.#openConnection()
    return this.#connecting
  }

  async #openConnection(): Promise<QueueConnection> {
    for (;;) {
      if (this.#failed > 0) await wait(1000 * lengthenPause(PAUSE, this.#failed - 1))
      try {
        this.#connection = await this.#queue.connect()
        return this.#connection
      } catch (error) {
        if (error instanceof OperatorError) throw error
        this.#reportFailure(error)
      }
    }
  }

  /** Of those that wait on one connection only the first drops it. */
  #drop(broken: QueueConnection, error: unknown): void {
    if (this.#connection !== broken) return
    this.#connection = undefined
    this.#connecting = undefined
    this.#reportFailure(error)
    broken.close().catch(() => undefined)
  }

  #reportFailure(error: unknown): void {
    const pause = lengthenPause(PAUSE, this.#failed)
    this.#failed += 1
    console.error(`${this.#queue.name} is away, next attempt in ${pause} s: ${describeError(error)}`)
  }

  #reportReturn(): void {
    if (this.#failed > 0) console.error(`${this.#queue.name} is back`)
    this.#failed = 0
  }

  async #waitWithMessage({ id, instance }: QueueMessage, error: NotTaken, failed: number): Promise<void> {
    const pause = lengthenPause(PAUSE, failed)
    console.error(
      `${this.#queue.name} does not take event ${id} of instance ${instance}, next attempt in ${pause} s: ${error.message}`,
    )
    await wait(1000 * pause)
  }
}

/** Node's errors of several addresses have no message of their own. */
export function describeError(error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  const own = message || code || String(error)
  return cause === undefined ? own : `${own}: ${describeError(cause)}`
}
