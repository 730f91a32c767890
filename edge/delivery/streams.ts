// The open event streams of one instance: Server-Sent Events of the envelopes that a webhook would get.

import { SECOND } from '../../shared/clock.ts'
import { concat, utf8 } from '../bytes.ts'
import type { ObjectEnv } from '../env.ts'
import { envelopeToSend } from '../family/envelopes.ts'
import { log, reasonOf } from '../log.ts'
import { openStore } from '../store/database/database.ts'
import { eventsAfter, type Heard, keepListening } from '../store/events/listeners.ts'
import { envelope } from './envelope.ts'

/** A line says that the stream is alive, and finds out whether anybody is there. */
const HEARTBEAT = 15 * SECOND
/** How long new events are announced to an object that does not renew. */
const LISTENS_FOR = 4 * HEARTBEAT
/** The oldest goes when there are more. */
const STREAMS_AT_MOST = 16

/** What the route that opens a stream knows of its caller. */
export interface Listener {
  instanceId: string
  /** Looked up at every reading: a stream ends with its token. */
  tokenHash: string
  /** Events after this seq. */
  after: number
  /** In the contract's own words, whatever the operator has chosen. */
  ours: boolean
  /** Only those of these names. */
  events?: string[]
}

export class Streams {
  readonly #env: ObjectEnv
  readonly #open = new Set<EventStream>()

  constructor(env: ObjectEnv) {
    this.#env = env
  }

  /** There may be something to read, or the token may be good no longer. */
  wake(): void {
    for (const stream of this.#open) stream.wake()
  }

  async open(request: Request): Promise<Response> {
    const listener: Listener = await request.json()
    const stream = new EventStream(this.#env, listener)
    this.#open.add(stream)
    const [oldest] = this.#open
    if (this.#open.size > STREAMS_AT_MOST) oldest?.end()
    log(this.#env, 'info', 'stream opened', { instance: listener.instanceId, streams: this.#open.size })
    const over = () => {
      stream.end()
      if (!this.#open.delete(stream)) return
      log(this.#env, 'info', 'stream ended', { instance: listener.instanceId, streams: this.#open.size })
    }
    // The stream's own `cancel` is not called when the caller is gone.
    request.signal.addEventListener('abort', over)
    return new Response(bodyOf(this.#env, stream, over))
  }
}

/** Read from the database only as fast as the far end takes it: nothing piles up here. */
function bodyOf(env: ObjectEnv, stream: EventStream, over: () => void): ReadableStream<Uint8Array> {
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const lines = await stream.next()
        if (lines) return controller.enqueue(lines)
      } catch (error) {
        // It ends, and the far end comes back with the seq that it saw last.
        log(env, 'warn', 'stream failed', { reason: reasonOf(error) })
      }
      over()
      controller.close()
    },
    cancel: over,
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

class EventStream {
  readonly #env: ObjectEnv
  readonly #listener: Listener
  #after: number
  #greeted = false
  #over = false
  #renewAt = 0
  #wakes = 0
  #onWake: () => void = () => undefined

  constructor(env: ObjectEnv, listener: Listener) {
    this.#env = env
    this.#listener = listener
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

  /** The next lines, undefined when it is over. */
  async next(): Promise<Uint8Array | undefined> {
    if (!this.#greeted) {
      this.#greeted = true
      return utf8(': welcome\nretry: 2000\n\n')
    }
    while (!this.#over) {
      const seen = this.#wakes
      const heard = await this.#read()
      if (!heard) return undefined
      if (heard.length > 0) return this.#lines(heard)
      if (seen === this.#wakes && !(await this.#pause())) return utf8(': still here\n\n')
    }
    return undefined
  }

  async #read(): Promise<Heard[] | undefined> {
    const store = openStore(this.#env)
    const { instanceId, tokenHash } = this.#listener
    // Before reading: what arrives later is announced.
    if (Date.now() >= this.#renewAt) {
      await keepListening(store, tokenHash, instanceId, Date.now() + LISTENS_FOR)
      this.#renewAt = Date.now() + HEARTBEAT
    }
    const heard = await eventsAfter(store, tokenHash, this.#after)
    this.#after = heard?.at(-1)?.event.seq ?? this.#after
    const { events } = this.#listener
    return events ? heard?.filter(({ event }) => events.includes(event.type)) : heard
  }

  async #lines(heard: Heard[]): Promise<Uint8Array> {
    const store = openStore(this.#env)
    const told = heard.map(async ({ event, instanceName }) => {
      const ours = this.#listener.ours ? envelope(event, instanceName) : undefined
      const data = ours ?? (await envelopeToSend(this.#env, store, event, instanceName))
      return concat([utf8(`id: ${event.seq}\ndata: `), data, utf8('\n\n')])
    })
    return concat(await Promise.all(told))
  }

  /** Returns false when nobody woke it. */
  async #pause(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const forgetLimit = this.#env.after(HEARTBEAT, () => resolve(false))
    this.#onWake = () => resolve(true)
    const woken = await promise
    forgetLimit()
    return woken
  }
}
