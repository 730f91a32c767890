// What must be true after any number of deaths, counted.

import { type LinkedDevice, waitUntilConnected } from '../device.ts'
import type { Delivery, Receiver } from '../receiver.ts'
import { WAITING } from '../stored-deliveries.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'
import { Arrivals } from './arrivals.ts'
import { type Interruption, wasInterrupted } from './interruptions.ts'
import { computeDuplicatePercent, findMostRepeated } from './repeats.ts'
import type { Send, Traffic } from './traffic.ts'
import { readWord } from './varied-sends.ts'

export interface Verdict {
  messages: number
  /** Accepted by the network and never delivered to the receiver. */
  missing: number
  /** The first of them, and whose it was. */
  missingAt: string
  files: number
  /** Files whose link was never delivered. */
  filesMissing: number
  /** Messages that their senders edited. */
  edits: number
  /** Edits that were never delivered. */
  editsMissing: number
  /** Messages of the pasts of all phones. */
  past: number
  /** Of them, those that were never delivered. */
  pastMissing: number
  /** Of them, those that came in two events. */
  pastDoubled: number
  /** Devices whose status does not say that the history is complete. */
  historiesOpen: number
  deliveries: number
  /** Deliveries of an event beyond its first, in percent of all. */
  duplicatePercent: number
  /** The most events that one instance got twice. */
  mostRepeated: number
  /** Events that came with other bytes the second time, or under a second id. */
  altered: number
  sends: number
  /** Sends whose text reached the phone more than once. */
  doubled: number
  /** Sends that were answered 200 and never reached the phone. */
  untrue: number
  /** Sends whose key still says 504, that never reached the phone, and met no kill but of the edge when they may have been written. */
  falselyUnknown: number
  stuckKeys: number
  /** What each key that is stuck or falsely unknown was answered: `409 not_connected ×3 at 0.2 s, …`. */
  answers: string[]
  /** Devices that are not logged in any more. */
  toPairAgain: number
  /** Places in the instances' sequences that no event has. */
  gaps: number
}

const SETTLES_WITHIN_MS = 180_000

interface Witness {
  devices: LinkedDevice[]
  receiver: Receiver
  traffic: Traffic
  /** Messages of each phone before it was linked. */
  past: number
  /** The kills of parts other than the edge. */
  interruptions?: readonly Interruption[]
  /** Called with what is waited for next. */
  onWait?(what: string): void
}

export async function checkTraffic(world: World, witness: Witness): Promise<Verdict> {
  const { devices, receiver, traffic, interruptions = [], onWait } = witness
  onWait?.('every device is connected')
  const connected = await Promise.all(
    devices.map((device) =>
      waitUntilConnected(device, SETTLES_WITHIN_MS)
        .then(() => true)
        .catch(() => false),
    ),
  )
  const { missing, filesMissing, editsMissing } = await listMissing(witness)
  onWait?.('every history is complete')
  const history = await checkHistories(witness)
  onWait?.('no event is pending')
  await until(() => hasNothingPending(world), { within: SETTLES_WITHIN_MS }).catch(() => undefined)

  const { messages: inbox } = await world.sim('GET', `/phones/${traffic.friend}/inbox`)
  const arrived = Map.groupBy(inbox as { text?: string; caption?: string }[], readWord)
  const countDeliveries = ({ word }: Send) => arrived.get(word)?.length ?? 0
  const falselyUnknown = await listFalselyUnknown(
    traffic.sends.filter((send) => countDeliveries(send) === 0 && !wasInterrupted(send, interruptions)),
  )
  const { deliveries } = receiver
  const byId = Map.groupBy(deliveries, ({ headers }) => headers['webhook-id'] ?? '')
  return {
    messages: traffic.written.size,
    missing: missing.length,
    missingAt: missing
      .slice(0, 1)
      .map((id) => `${id} of ${traffic.written.get(id)}`)
      .join(),
    files: traffic.files.size,
    filesMissing: filesMissing.length,
    edits: traffic.edited.size,
    editsMissing: editsMissing.length,
    ...history,
    deliveries: deliveries.length,
    duplicatePercent: computeDuplicatePercent(deliveries),
    mostRepeated: findMostRepeated(deliveries),
    altered:
      [...byId.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1).length +
      haveTwoIds(deliveries),
    sends: traffic.sends.length,
    doubled: traffic.sends.filter((send) => countDeliveries(send) > 1).length,
    untrue: traffic.sends.filter((send) => send.outcome === 'sent' && countDeliveries(send) === 0).length,
    falselyUnknown: falselyUnknown.size,
    stuckKeys: traffic.sends.filter(({ outcome }) => outcome === 'stuck').length,
    answers: traffic.sends
      .filter((send) => send.outcome === 'stuck' || falselyUnknown.has(send))
      .map((send) => formatAnswers(send, falselyUnknown.get(send))),
    toPairAgain: connected.filter((isConnected) => !isConnected).length,
    gaps: await countGaps(world),
  }
}

/**
 * Of sends of which nothing was written, those whose key still says 504, with its explanation. An edge that has restarted says it while no host is there that
 * knows better; afterwards the key tells the outcome.
 */
async function listFalselyUnknown(unsent: Send[]): Promise<Map<Send, string>> {
  const unknown = unsent.filter(({ outcome }) => outcome === 'unknown')
  const responses = await Promise.all(
    unknown.map(async (send) => {
      const { device, path, body, key } = send
      return [send, await device.caller.post(path, body, { 'idempotency-key': key })] as const
    }),
  )
  const still = responses.filter(([, { status }]) => status === 504)
  return new Map(still.map(([send, { body }]) => [send, String(body.message)]))
}

/** Of messages, of their files and of their edits; waits until there are none. */
async function listMissing({ receiver, traffic, onWait }: Witness) {
  const waitForAll = (ids: Iterable<string>, readIds: (delivery: Delivery) => string[]) =>
    new Arrivals(receiver, readIds).waitForAll(ids)
  onWait?.('every message is delivered')
  const missing = await waitForAll(traffic.written.keys(), readMessageIds)
  onWait?.('every file has its link')
  const filesMissing = await waitForAll(traffic.files, readLinkedIds)
  onWait?.('every edit is delivered')
  return { missing, filesMissing, editsMissing: await waitForAll(traffic.edited.keys(), readEditedIds) }
}

/** Waits until each history is complete and delivered. */
async function checkHistories({ devices, receiver, past }: Witness) {
  if (past === 0) return { past, pastMissing: 0, pastDoubled: 0, historiesOpen: 0 }
  const countOpen = async () => {
    const statuses = await Promise.all(devices.map(({ caller }) => caller.get('/instance/status')))
    return statuses.filter(({ body }) => body.history?.state !== 'complete').length
  }
  await until(async () => (await countOpen()) === 0, { within: SETTLES_WITHIN_MS }).catch(() => undefined)
  const all = devices.length * past
  const countDelivered = () => countPastEvents(receiver.deliveries)
  await until(() => countDelivered().size >= all, { within: SETTLES_WITHIN_MS }).catch(() => undefined)
  const counts = countDelivered()
  return {
    past: all,
    pastMissing: all - counts.size,
    pastDoubled: [...counts.values()].filter((events) => events > 1).length,
    historiesOpen: await countOpen(),
  }
}

/** In how many events each message of a history was delivered. */
function countPastEvents(deliveries: Delivery[]): Map<string, number> {
  const counts = new Map<string, number>()
  const histories = deliveries.filter(({ envelope }) => envelope.EventType === 'history')
  for (const { envelope } of new Map(histories.map((one) => [one.envelope.eventId, one])).values()) {
    const { messages } = envelope.event as { messages: { messageid: string }[] }
    for (const { messageid } of messages) {
      const key = `${envelope.instanceId}/${messageid}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return counts
}

export const isClean = (verdict: Verdict): boolean =>
  verdict.duplicatePercent <= 0.5 &&
  [
    verdict.missing,
    verdict.filesMissing,
    verdict.editsMissing,
    verdict.pastMissing,
    verdict.pastDoubled,
    verdict.historiesOpen,
    verdict.altered,
    verdict.doubled,
    verdict.untrue,
    verdict.falselyUnknown,
    verdict.stuckKeys,
    verdict.toPairAgain,
    verdict.gaps,
  ].every((count) => count === 0)

const formatAnswers = ({ key, kind, device, began, responses }: Send, atEnd = ''): string =>
  `${key} (${kind}) of ${device.number}, begun ${new Date(began).toISOString()}: ${responses.map(({ description, times, from }) => `${description} ×${times} at ${from.toFixed(1)} s`).join(', ')} ${atEnd}`

export const readMessageIds = ({ envelope }: Delivery): string[] =>
  envelope.EventType === 'messages' ? [(envelope.message as { messageid: string }).messageid] : []

const readEditedIds = ({ envelope }: Delivery): string[] =>
  envelope.EventType === 'messages_edit' ? [(envelope.event as { messageid: string }).messageid] : []

/** The messages whose file has a link, told with them or later. */
function readLinkedIds({ envelope }: Delivery): string[] {
  const { message, event } = envelope as {
    message?: { messageid: string; fileURL: string }
    event?: { MessageIDs?: string[]; fileURL?: string }
  }
  if (message?.fileURL) return [message.messageid]
  return event?.fileURL ? (event.MessageIDs ?? []) : []
}

/** Messages that were delivered as two events. */
function haveTwoIds(deliveries: Delivery[]): number {
  const received = deliveries.filter(({ envelope }) => envelope.EventType === 'messages')
  const events = Map.groupBy(
    received,
    (delivery) => `${delivery.envelope.instanceId}/${readMessageIds(delivery)}`,
  )
  return [...events.values()].filter((same) => new Set(same.map(({ envelope }) => envelope.eventId)).size > 1)
    .length
}

/** At the first webhooks. Of the others some never answer, and those that do are waited for by their own check. */
async function hasNothingPending(world: World): Promise<boolean> {
  const [row] = await world.queryDatabase(
    `select count(*) as pending from (${WAITING}) where lane in (select lane from webhooks where position = 0)`,
  )
  return row?.pending === 0
}

async function countGaps(world: World): Promise<number> {
  const [row] = await world.queryDatabase(
    `select coalesce(sum(gap), 0) as gaps from (select max(seq) - count(*) as gap from events group by instance_id)`,
  )
  return Number(row?.gaps)
}
