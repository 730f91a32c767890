// Amazon SQS: up to ten messages a request. In a FIFO queue an instance is a group, and the event's id keeps doubles out for five minutes.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { AwsClient } from 'aws4fetch'
import { NotTaken, type Queue, type QueueMessage } from './queue-publisher.ts'
import { readSqsSettings } from './queue-settings.ts'

const REQUEST_MS = 20_000
const MAX_ENTRIES = 10
/** Of the bodies of one request, which may have 1 MiB with everything. */
const MAX_BATCH_BYTES = 1000 * 1024
/** Of the largest event as JSON. */
const MAX_EVENT_BYTES = 600 * 1024

export function openSqs(url: URL): Queue {
  const client = new AwsClient({ ...readSqsSettings(url), service: 'sqs', retries: 0 })
  const queue = new SqsQueue(client, url)
  const isFifo = url.pathname.endsWith('.fifo')
  return {
    name: queue.name,
    // A queue that is not FIFO keeps no order.
    maxUnconfirmed: isFifo ? 1 : 2 * MAX_ENTRIES,
    async connect() {
      await queue.check()
      return { publish: (message) => queue.publish(message, isFifo), close: async () => undefined }
    },
  }
}

interface Waiting {
  entry: Record<string, unknown>
  bytes: number
  resolve(): void
  reject(error: unknown): void
}

interface BatchResult {
  Failed?: { Id: string; Code: string; Message?: string }[]
}

class SqsQueue {
  readonly name: string
  readonly #client: AwsClient
  readonly #url: URL
  #waiting: Waiting[] = []
  #isSending = false

  constructor(client: AwsClient, url: URL) {
    this.name = `SQS at ${url.host}${url.pathname}`
    this.#client = client
    this.#url = url
  }

  /** Whether the queue is there, and the key may use it. */
  async check(): Promise<void> {
    type Result = { Attributes?: { MaximumMessageSize?: string } }
    const request = { AttributeNames: ['MaximumMessageSize'] }
    const { Attributes } = await this.#send<Result>('GetQueueAttributes', request)
    const max = Number(Attributes?.MaximumMessageSize ?? Number.POSITIVE_INFINITY)
    if (max < MAX_EVENT_BYTES)
      console.error(
        `${this.name} takes no message above ${max} bytes: the largest events have ${MAX_EVENT_BYTES}`,
      )
  }

  publish(message: QueueMessage, isFifo: boolean): Promise<void> {
    const body = escapeNoncharacters(message.body)
    const entry = {
      MessageBody: body,
      MessageAttributes: {
        eventId: { DataType: 'String', StringValue: message.id },
        EventType: { DataType: 'String', StringValue: message.event },
      },
      ...(isFifo && { MessageGroupId: message.instance, MessageDeduplicationId: message.id }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ entry, bytes: Buffer.byteLength(body), resolve, reject })
    if (!this.#isSending) void this.#sendWaiting()
    return promise
  }

  /** One request at a time: what comes meanwhile goes together with the next. */
  async #sendWaiting(): Promise<void> {
    this.#isSending = true
    while (this.#waiting.length > 0) await this.#sendBatch(this.#takeBatch())
    this.#isSending = false
  }

  #takeBatch(): Waiting[] {
    let bytes = 0
    const count = this.#waiting.slice(0, MAX_ENTRIES).findIndex((one, at) => {
      bytes += one.bytes
      return at > 0 && bytes > MAX_BATCH_BYTES
    })
    return this.#waiting.splice(0, count === -1 ? MAX_ENTRIES : count)
  }

  async #sendBatch(batch: Waiting[]): Promise<void> {
    const Entries = batch.map(({ entry }, at) => ({ Id: String(at), ...entry }))
    try {
      const { Failed = [] } = await this.#send<BatchResult>('SendMessageBatch', { Entries })
      const failures = new Map(Failed.map((failure) => [failure.Id, failure]))
      batch.forEach(({ resolve, reject }, at) => {
        const failure = failures.get(String(at))
        if (failure) reject(new NotTaken(`${failure.Code} ${failure.Message ?? ''}`))
        else resolve()
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async #send<Result>(action: string, request: object): Promise<Result> {
    const response = await this.#client.fetch(`${this.#url.origin}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
      body: JSON.stringify({ QueueUrl: this.#url.href, ...request }),
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text) as Result
    const reason = `${response.status} ${text.slice(0, 300)}`
    throw isRefusal(response.status, text)
      ? new OperatorError(`${this.name} refuses ${action}: ${reason}`)
      : new Error(`${action} was answered with ${reason}`)
  }
}

/** Trying again would not help. */
const isRefusal = (status: number, text: string): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429 && !/throttl/i.test(text)

/** The two characters that JSON has and SQS refuses. In JSON their escapes mean the same. */
const escapeNoncharacters = (json: string): string =>
  json.replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
