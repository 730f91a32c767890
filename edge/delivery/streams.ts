// The open event streams of one instance send as Server-Sent Events the envelopes that a webhook would get.

import { SECOND } from '../../shared/clock.ts'
import { limits } from '../../shared/contract/version.ts'
import { concat, utf8 } from '../bytes.ts'
import type { ObjectEnv } from '../env.ts'
import { envelopeToSend } from '../family/envelopes.ts'
import { log, reasonOf } from '../log.ts'
import type { Listener } from '../objects.ts'
import { openStore } from '../store/database/database.ts'
import { eventsAfter, type Heard, keepListening } from '../store/events/listeners.ts'
import { envelope } from './envelope.ts'

/** A comment line keeps the stream alive and shows whether the reader is still connected. */
const HEARTBEAT = 15 * SECOND
/** How long after its last renewal an object is still notified of new events. */
const LISTENS_FOR = 4 * HEARTBEAT

export class Streams {
  readonly #env: ObjectEnv
  readonly #open = new Set<EventStream>()
  /** One row says for all streams of the instance that somebody listens. */
  readonly #renewal: Renewal

  constructor(env: ObjectEnv) {
    this.#env = env
    this.#renewal = new Renewal(env)
  }

  /** Called when there may be new events, or when the token may have ended. */
  wake(): void {
    for (const stream of this.#open) stream.wake()
  }

  /** Readers connect again with the last `seq` that they saw. */
  end(): void {
    for (const stream of this.#open) stream.end()
  }

  open(listener: Listener, signal: AbortSignal): ReadableStream<Uint8Array> {
    const stream = new EventStream(this.#env, listener, this.#renewal)
    this.#open.add(stream)
    const [oldest] = this.#open
    if (this.#open.size > limits.streamsAtOnce) oldest?.end()
    log(this.#env, 'info', 'stream opened', { instance: listener.instanceId, streams: this.#open.size })
    const over = () => {
      stream.end()
      if (!this.#open.delete(stream)) return
      log(this.#env, 'info', 'stream ended', { instance: listener.instanceId, streams: this.#open.size })
    }
    // Not every runtime calls the stream's own `cancel` if the reader disconnects.
    signal.addEventListener('abort', over)
    return bodyOf(this.#env, stream, over)
  }
}

/** Reads from the database only as fast as the reader takes it, so nothing is buffered here. */
function bodyOf(env: ObjectEnv, stream: EventStream, over: () => void): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const lines = await stream.next()
        if (lines) return controller.enqueue(lines)
      } catch (error) {
        // The stream ends, and the reader connects again with the last `seq` that it saw.
        log(env, 'warn', 'stream failed', { reason: reasonOf(error) })
      }
      over()
      controller.close()
    },
    cancel: over,
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
  renew(listener: Listener): Promise<void> | undefined {
    if (Date.now() < this.#nextAt) return undefined
    this.#running ??= this.#write(listener).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #write({ tokenHash, instanceId }: Listener): Promise<void> {
    const now = Date.now()
    // A stream whose token has ended writes nothing, and the next one tries again.
    if (await keepListening(openStore(this.#env), tokenHash, instanceId, now + LISTENS_FOR))
      this.#nextAt = now + HEARTBEAT
  }
}

class EventStream {
  readonly #env: ObjectEnv
  readonly #listener: Listener
  readonly #renewal: Renewal
  #after: number
  #greeted = false
  #over = false
  #wakes = 0
  #onWake: () => void = () => undefined

  constructor(env: ObjectEnv, listener: Listener, renewal: Renewal) {
    this.#env = env
    this.#listener = listener
    this.#renewal = renewal
    this.#after = listener.after
  }

  wake(): void {
    this.#wakes++
    this.#onWake()
  }

  end(): void {
    this.#over = true
    this.wake()
  }

  /** The next lines; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (!this.#greeted) {
      this.#greeted = true
      return utf8(': welcome\nretry: 2000\n\n')
    }
    const silentSince = Date.now()
    while (!this.#over) {
      const seen = this.#wakes
      const page = await this.#read()
      if (!page) return undefined
      const wanted = this.#choose(page)
      if (wanted.length > 0) return this.#lines(wanted)
      // Behind a page without a wanted event there may be more.
      const mayPause = page.length === 0 && seen === this.#wakes
      const isWoken = mayPause ? await this.#pause() : Date.now() - silentSince < HEARTBEAT
      if (!isWoken) return utf8(': still here\n\n')
    }
    return undefined
  }

  async #read(): Promise<Heard[] | undefined> {
    const store = openStore(this.#env)
    // Before the read, so that later events are notified.
    await this.#renewal.renew(this.#listener)
    const heard = await eventsAfter(store, this.#listener.tokenHash, this.#after)
    this.#after = heard?.at(-1)?.event.seq ?? this.#after
    return heard
  }

  #choose(heard: Heard[]): Heard[] {
    const { events } = this.#listener
    return events ? heard.filter(({ event }) => events.includes(event.type)) : heard
  }

  async #lines(heard: Heard[]): Promise<Uint8Array> {
    const store = openStore(this.#env)
    const lines = heard.map(async ({ event, instanceName }) => {
      const ours = this.#listener.ours ? envelope(event, instanceName) : undefined
      const data = ours ?? (await envelopeToSend(this.#env, store, event, instanceName))
      return concat([utf8(`id: ${event.seq}\ndata: `), data, utf8('\n\n')])
    })
    return concat(await Promise.all(lines))
  }

  /** Returns false if nothing woke it in time. */
  async #pause(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const forgetLimit = this.#env.after(HEARTBEAT, () => resolve(false))
    this.#onWake = () => resolve(true)
    const woken = await promise
    forgetLimit()
    return woken
  }
}
