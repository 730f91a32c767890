// The open event streams of one instance send as Server-Sent Events the envelopes that a webhook would get.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { PresenceEvent } from '@msgnet/shared/contract/presence-event.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { type EnvelopeSource, hideCredentials } from '../dialect/envelope.ts'
import type { EventSource } from '../dialect/event-format.ts'
import type { StreamListener } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import { concatBytes, encodeUtf8 } from '../runtime/bytes.ts'
import type { ObjectEnv } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { readEventsAfter, renewListener, type StreamedEvent } from '../store/events/listener-queries.ts'
import { isInChats } from '../store/events/presence-targets.ts'
import { isForChats, isStatusPost } from '../store/events/wanted-events.ts'
import { takeStreamTurn } from './stream-turns.ts'
import { tryToWrite } from './try-to-write.ts'

/** A comment line keeps the stream alive and shows whether the reader is still connected. */
const HEARTBEAT = 15 * SECOND
/** How long after its last renewal an object is still notified of new events. */
const LISTENING_MS = 4 * HEARTBEAT

export class EventStreams {
  readonly #env: ObjectEnv
  readonly #openStreams = new Set<EventStream>()
  /** One row for all streams of the instance: while it is there, the courier is notified of new events. */
  readonly #renewal: Renewal

  constructor(env: ObjectEnv) {
    this.#env = env
    this.#renewal = new Renewal(env)
  }

  /** Called when there may be new events, or when the token may have ended. */
  wakeAll(): void {
    for (const stream of this.#openStreams) stream.wake()
  }

  /** For readers that are here now: presence is not stored. */
  pushPresence(sources: EnvelopeSource[], instanceName: string): void {
    for (const stream of this.#openStreams) stream.push(sources, instanceName)
  }

  /** Readers connect again with the last `seq` that they saw. */
  endAll(): void {
    for (const stream of this.#openStreams) stream.end()
  }

  openStream(listener: StreamListener, signal: AbortSignal): ReadableStream<Uint8Array> {
    const stream = new EventStream(this.#env, listener, this.#renewal)
    this.#openStreams.add(stream)
    this.#logCount('stream opened', listener)
    const endStream = (ended: EventStream) => {
      ended.end()
      if (this.#openStreams.delete(ended)) this.#logCount('stream ended', listener)
    }
    // It does not count any more, though its reader may take nothing that would show it the end.
    const [oldest] = this.#openStreams
    if (oldest && this.#openStreams.size > limits.maxConcurrentStreams) endStream(oldest)
    const onEnd = () => endStream(stream)
    // Not every runtime calls the stream's own `cancel` if the reader disconnects, as it may have done by now.
    if (signal.aborted) onEnd()
    else signal.addEventListener('abort', onEnd)
    return createBody(this.#env, stream, onEnd)
  }

  #logCount(words: string, { instanceId: instance }: StreamListener): void {
    log(this.#env, 'info', words, { instance, streams: this.#openStreams.size })
  }
}

/** Reads from the database only as fast as the reader takes it, so nothing is buffered here. */
function createBody(env: ObjectEnv, stream: EventStream, onEnd: () => void): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const lines = await stream.readNextLines()
        if (lines) return controller.enqueue(lines)
      } catch (error) {
        // The stream ends, and the reader connects again with the last `seq` that it saw.
        log(env, 'warn', 'failed to read stream', { error })
      }
      onEnd()
      controller.close()
    },
    cancel: onEnd,
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** Keeps the object notified of new events: a write each quarter of a minute, however many streams are open. */
class Renewal {
  readonly #env: ObjectEnv
  #nextAt = 0
  #running: Promise<void> | undefined

  constructor(env: ObjectEnv) {
    this.#env = env
  }

  /** Resolves when events that come from now on are notified. */
  renewListening(listener: StreamListener): Promise<void> | undefined {
    if (Date.now() < this.#nextAt) return undefined
    this.#running ??= this.#writeRenewal(listener).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #writeRenewal(listener: StreamListener): Promise<void> {
    const now = Date.now()
    // A stream whose token has ended writes nothing, and the next one tries again.
    if (await renewListener(openStore(this.#env), listener, now + LISTENING_MS))
      this.#nextAt = now + HEARTBEAT
  }
}

type StreamedSource = Omit<StreamedEvent, 'event'> & { event: EventSource }

/** Without a number it has no id: that is where the reader would go on after a pause. */
const formatMessage = (data: Uint8Array, seq: number): Uint8Array[] => [
  encodeUtf8(`${seq > 0 ? `id: ${seq}\n` : ''}data: `),
  data,
  encodeUtf8('\n\n'),
]

/** The most states of presence that wait for a slow reader. */
const MAX_PASSING = 100

class EventStream {
  readonly #env: ObjectEnv
  readonly #listener: StreamListener
  readonly #renewal: Renewal
  #afterSeq: number
  /** Presence that the reader has not taken yet; the oldest is dropped. */
  #passing: StreamedSource[] = []
  #isGreeted = false
  #isEnded = false
  #wakes = 0
  #onWake: () => void = () => undefined

  constructor(env: ObjectEnv, listener: StreamListener, renewal: Renewal) {
    this.#env = env
    this.#listener = listener
    this.#renewal = renewal
    this.#afterSeq = listener.afterSeq
  }

  wake(): void {
    this.#wakes++
    this.#onWake()
  }

  end(): void {
    this.#isEnded = true
    this.wake()
  }

  push(sources: EnvelopeSource[], instanceName: string): void {
    const { events, chats = null } = this.#listener
    if (events && !events.includes('presence')) return
    const wanted = sources.filter(({ payload }) => isInChats(chats, payload.event as PresenceEvent))
    this.#passing.push(...wanted.map((event) => ({ event, instanceName })))
    this.#passing.splice(0, Math.max(0, this.#passing.length - MAX_PASSING))
    this.wake()
  }

  /** The next lines; undefined at the end. */
  async readNextLines(): Promise<Uint8Array | undefined> {
    if (!this.#isGreeted) {
      this.#isGreeted = true
      return encodeUtf8(': welcome\nretry: 2000\n\n')
    }
    const idleSince = Date.now()
    while (!this.#isEnded) {
      const seen = this.#wakes
      const read = await takeStreamTurn(this.#listener.instanceId, () => this.#readLines())
      if (!read) return undefined
      if (read.lines) return read.lines
      // After a page without a matching event there may be more.
      const mayPause = read.events === 0 && seen === this.#wakes
      const isWoken = mayPause ? await this.#waitForWake() : Date.now() - idleSince < HEARTBEAT
      if (!isWoken) return encodeUtf8(': still here\n\n')
    }
    return undefined
  }

  /** `lines` of the events that the reader wants, if there are any; undefined if its token is not valid any more. */
  async #readLines(): Promise<{ events: number; lines?: Uint8Array } | undefined> {
    // Its reader may have left while it waited.
    const page = this.#isEnded ? undefined : await this.#readEvents()
    if (!page) return undefined
    const wanted = [...this.#filterEvents(page), ...this.#passing.splice(0)]
    return { events: page.length, ...(wanted.length > 0 && { lines: await this.#formatLines(wanted) }) }
  }

  async #readEvents(): Promise<StreamedEvent[] | undefined> {
    const store = openStore(this.#env)
    // Before the read, so that later events are notified.
    await this.#renewal.renewListening(this.#listener)
    const received = await readEventsAfter(store, this.#listener, this.#afterSeq)
    this.#afterSeq = received?.at(-1)?.event.seq ?? this.#afterSeq
    return received
  }

  #filterEvents(received: StreamedEvent[]): StreamedEvent[] {
    const { events, chats } = this.#listener
    // Of the others the form chooses by its parts.
    const mayHold = ({ type, payload, beyond }: EventSource) => {
      if (isStatusPost(type, payload)) return events?.includes('status_posts')
      return !events || events.includes(type) || beyond?.result
    }
    const maySee = ({ type, payload }: EventSource) => !chats || isForChats(chats, type, payload)
    return received.filter(({ event }) => mayHold(event) && maySee(event))
  }

  /** The parts of an event, of which the last has the number where a reader goes on. */
  async #formatLines(received: StreamedSource[]): Promise<Uint8Array> {
    const store = openStore(this.#env)
    const { events, format: stored, credential } = this.#listener
    const format = this.#env.dialects.findFormat(stored) ?? this.#env.dialects.rootFormat
    const lines = received.map(async ({ event, instanceName }) => {
      const target = { store, instanceName, handle: null, receiver: { events } }
      const writeBodies = async () => {
        const parts = await format.toParts(event, target)
        return Promise.all(parts.map((part) => part.createBody()))
      }
      // One that the format cannot write is passed over: its reader would come to it again at each connection.
      const written = (await tryToWrite(this.#env, event, writeBodies)) ?? []
      const bodies = written.filter((body) => typeof body !== 'string')
      const shown = credential === 'scoped' ? bodies.map(hideInBody) : bodies
      return concatBytes(
        shown.flatMap((body, place) => formatMessage(body, place < bodies.length - 1 ? 0 : event.seq)),
      )
    })
    return concatBytes(await Promise.all(lines))
  }

  /** Returns false if the stream was not woken in time. */
  async #waitForWake(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const cancelDeadline = this.#env.setDeadline(HEARTBEAT, () => resolve(false))
    this.#onWake = () => resolve(true)
    const woken = await promise
    cancelDeadline()
    return woken
  }
}

const hideInBody = (body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  encodeUtf8(JSON.stringify(hideCredentials(JSON.parse(new TextDecoder().decode(body)))))
