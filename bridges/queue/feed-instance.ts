// Publishes the events of one instance in their order, each after the one before is stored.

import { setTimeout as wait } from 'node:timers/promises'
import type { Envelope } from '@msgnet/client/api-types.ts'
import type { InstanceClient } from '@msgnet/client/client.ts'
import { GatewayUnreachable } from '@msgnet/client/errors.ts'
import { isDeleted, requestPatiently, type StreamOpener } from './gateway-requests.ts'
import type { PatientPublisher } from './patient-publisher.ts'
import type { Positions } from './positions.ts'
import type { Queue, QueueMessage } from './queue-publisher.ts'

/** A stream that ends is opened again after this. */
const REOPEN_MS = 1000

export interface Feed {
  queue: Queue
  opener: StreamOpener
  publisher: PatientPublisher
  positions: Positions
  /** The names of the events that are published; all if it is undefined. */
  events: Set<string> | undefined
  /** Where an instance begins that was never seen. */
  startAt: 'now' | 'oldest'
  /** Called when the bridge cannot go on. */
  fail(error: unknown): void
}

export interface InstanceSource {
  id: string
  client: InstanceClient
}

/** Stores where the instance begins, unless it has begun. False if it was deleted meanwhile. */
export async function storeStart({ positions, startAt }: Feed, { id, client }: InstanceSource) {
  if (positions.find(id) !== undefined) return true
  try {
    const list = () => client.events({ limit: 1, payload: false })
    const newest = startAt === 'now' ? (await requestPatiently(list)).events[0] : undefined
    positions.move(id, newest?.seq ?? 0)
    positions.write()
    return true
  } catch (error) {
    if (isDeleted(error)) return false
    throw error
  }
}

/** Ends when the instance is deleted. */
export async function feedInstance(feed: Feed, { id, client }: InstanceSource): Promise<void> {
  for (;;) {
    try {
      await publishStream(feed, id, await feed.opener.openStream(client, feed.positions.find(id) ?? 0))
    } catch (error) {
      if (isDeleted(error)) return console.error(`instance ${id} was deleted`)
      // A stream that broke goes on after the last event that was published.
      if (!(error instanceof GatewayUnreachable)) throw error
    }
    await wait(REOPEN_MS)
  }
}

async function publishStream(
  { events, fail, positions, publisher, queue }: Feed,
  id: string,
  stream: AsyncIterable<Envelope>,
): Promise<void> {
  let last = Promise.resolve()
  const unconfirmed: Promise<void>[] = []
  try {
    for await (const envelope of stream) {
      const isChosen = events?.has(envelope.EventType) ?? true
      const published = isChosen ? publisher.publish(toMessage(envelope)) : undefined
      last = Promise.all([last, published]).then(() => {
        // What is not stored by the gateway, such as presence, has the number 0.
        if (envelope.seq > 0) positions.move(id, envelope.seq)
      })
      last.catch(fail)
      unconfirmed.push(last)
      if (unconfirmed.length >= queue.maxUnconfirmed) await unconfirmed.shift()
    }
  } finally {
    // The next stream begins after them.
    await last
  }
}

/** The client has parsed what the gateway wrote: as JSON it has the same bytes again. */
const toMessage = (envelope: Envelope): QueueMessage => ({
  id: envelope.eventId,
  instance: envelope.instanceId,
  event: envelope.EventType,
  at: envelope.timestamp,
  body: JSON.stringify(envelope),
})
