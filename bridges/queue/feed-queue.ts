// Feeds a queue with the events of one instance, or of every instance of the gateway.

import { setTimeout as wait } from 'node:timers/promises'
import { type Connect, connectAdmin, connectInstance, type InstanceClient } from '@msgnet/client/client.ts'
import { storedValues } from '../bridge-store.ts'
import { type Feed, feedInstance, storeStart } from './feed-instance.ts'
import { requestPatiently, StreamOpener } from './gateway-requests.ts'
import { PatientPublisher } from './patient-publisher.ts'
import { Positions } from './positions.ts'
import type { Queue } from './queue-publisher.ts'
import type { QueueSettings } from './queue-settings.ts'

/** New instances are found within this time; their events wait in the gateway. */
const LIST_MS = 30_000
/** Stored once every instance that was there at the first start has its position. */
const LISTED = 'instances listed'

/** Only the library of this kind is loaded. */
async function openQueue({ kind, url }: QueueSettings): Promise<Queue> {
  if (kind === 'rabbitmq') return (await import('./rabbitmq.ts')).openRabbitmq(url)
  if (kind === 'nats') return (await import('./nats.ts')).openNats(url)
  return (await import('./sqs.ts')).openSqs(url)
}

/** Never resolves. Throws an OperatorError when the queue or the gateway refuses. */
export async function feedQueue(settings: QueueSettings): Promise<never> {
  const queue = await openQueue(settings)
  const publisher = new PatientPublisher(queue)
  const positions = new Positions()
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  const { events, startAt } = settings
  const feed: Feed = { opener: new StreamOpener(), publisher, positions, queue, events, startAt, fail }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      positions.write()
      process.exit()
    })
  try {
    // A wrong queue is named at once.
    await publisher.connect()
    feedSources(settings, feed).catch(fail)
    return await failure
  } finally {
    positions.write()
  }
}

function feedSources({ baseUrl, credential }: QueueSettings, feed: Feed): Promise<void> {
  // The bridge repeats, and says so.
  const connect = { baseUrl, repeats: false } as const
  return 'token' in credential
    ? feedOwn(connectInstance({ ...connect, ...credential }), feed)
    : feedAll({ ...connect, ...credential }, feed)
}

async function feedOwn(client: InstanceClient, feed: Feed): Promise<void> {
  const { instance } = await requestPatiently(() => client.status())
  const source = { id: instance.id, client }
  await storeStart(feed, source)
  console.log(`${feed.queue.name} gets the events of instance ${instance.id}`)
  await feedInstance(feed, source)
}

/** An instance that was made after the first start begins with its first event. */
async function feedAll(connect: Connect & { adminToken: string }, feed: Feed): Promise<void> {
  const admin = connectAdmin(connect)
  const started = new Set<string>()
  for (;;) {
    const listed = await requestPatiently(() => admin.instances.list())
    const added = listed.filter(({ id }) => !started.has(id))
    const startAt = storedValues.get(LISTED) ? 'oldest' : feed.startAt
    for (const { id } of added) {
      started.add(id)
      const source = { id, client: connectInstance({ ...connect, instance: id }) }
      if (await storeStart({ ...feed, startAt }, source)) feedInstance(feed, source).catch(feed.fail)
    }
    storedValues.set(LISTED, 'yes')
    if (added.length > 0) console.log(`${feed.queue.name} gets the events of ${started.size} instances`)
    await wait(LIST_MS)
  }
}
