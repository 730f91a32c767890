// What the bridge needs of a queue, whichever it is.

export interface QueueMessage {
  /** The `webhook-id` of the event: a reader that has seen it drops the message. */
  id: string
  instance: string
  /** The name of the event, such as `messages`. */
  event: string
  /** When it happened, in milliseconds. */
  at: number
  /** The envelope, as a webhook gets it. */
  body: string
}

/** An open connection. An error that is neither NotTaken nor an OperatorError ends it. */
export interface QueueConnection {
  /** Resolves when the queue has stored the message. */
  publish(message: QueueMessage): Promise<void>
  close(): Promise<void>
}

export interface Queue {
  /** For logs: without credentials. */
  name: string
  /** How many messages of one instance may wait for their confirmation: with more than one their order may change. */
  maxUnconfirmed: number
  connect(): Promise<QueueConnection>
}

/** The connection works, but the queue does not take this message at present. */
export class NotTaken extends Error {}
