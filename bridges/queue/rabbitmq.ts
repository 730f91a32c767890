// RabbitMQ, by AMQP 0-9-1: a topic exchange, and the routing key `<instance>.<event>`.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { type ConfirmChannel, connect } from 'amqplib'
import { NotTaken, type Queue, type QueueConnection, type QueueMessage } from './queue-publisher.ts'
import { readExchange } from './queue-settings.ts'

const CONNECT_MS = 10_000
/** Wrong credentials or no permission, no such exchange, no such virtual host. */
const REFUSAL = /\b(403|404|530) \(/

export function openRabbitmq(url: URL): Queue {
  const exchange = readExchange()
  const name = `RabbitMQ at ${url.host}${url.pathname}`
  return {
    name,
    // When one is refused, the next may have been stored already.
    maxUnconfirmed: 1,
    connect: () =>
      openConnection(url, exchange, name).catch((error) => Promise.reject(toQueueError(error, name))),
  }
}

const toQueueError = (error: unknown, name: string): unknown =>
  error instanceof Error && REFUSAL.test(error.message)
    ? new OperatorError(`${name} refuses: ${error.message}`)
    : error

async function openConnection({ href }: URL, exchange: string, name: string): Promise<QueueConnection> {
  const connection = await connect(href, {
    timeout: CONNECT_MS,
    noDelay: true,
    clientProperties: { connection_name: 'msgnet queue bridge' },
  })
  // Without a listener the process would end. What waits for a confirmation gets the error.
  connection.on('error', () => undefined)
  connection.on('blocked', (reason) => console.error(`${name} takes no messages now: ${reason}`))
  connection.on('unblocked', () => console.error(`${name} takes messages again`))
  try {
    const channel = await connection.createConfirmChannel()
    const publishing = new ConfirmedPublishing(channel, exchange, name)
    await channel.checkExchange(exchange)
    return {
      publish: (message) => publishing.publish(message),
      close: () => connection.close(),
    }
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
}

class ConfirmedPublishing {
  readonly #channel: ConfirmChannel
  readonly #exchange: string
  readonly #name: string
  /** Ids of messages for which there was no queue. They are confirmed all the same, after this. */
  readonly #returned = new Set<string>()
  #failure: Error | undefined
  #isClosed = false

  constructor(channel: ConfirmChannel, exchange: string, name: string) {
    this.#channel = channel
    this.#exchange = exchange
    this.#name = name
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.messageId)))
    channel.on('error', (error) => {
      this.#failure = error
    })
    // Before the callbacks of what waits: they have been called by a listener of the library's own.
    channel.prependListener('close', () => {
      this.#isClosed = true
    })
  }

  publish({ id, instance, event, at, body }: QueueMessage): Promise<void> {
    const routingKey = `${instance}.${event}`
    const properties = {
      mandatory: true,
      persistent: true,
      messageId: id,
      type: event,
      timestamp: Math.floor(at / 1000),
      contentType: 'application/json',
    }
    return new Promise((resolve, reject) => {
      this.#channel.publish(this.#exchange, routingKey, Buffer.from(body), properties, (error) => {
        if (error) reject(this.#describeFailure(error))
        else if (this.#returned.delete(id))
          reject(new NotTaken(`no queue is bound to the exchange ${this.#exchange} for ${routingKey}`))
        else resolve()
      })
    })
  }

  #describeFailure(error: Error): unknown {
    return this.#isClosed
      ? toQueueError(this.#failure ?? error, this.#name)
      : new NotTaken('a queue is full, or could not store it')
  }
}
