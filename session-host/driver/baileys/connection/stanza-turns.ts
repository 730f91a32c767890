// Handles what the network sends to a session in turns. The library would begin with all stanzas of a burst at once, and every other
// session of the process would wait for that.

import { setTimeout as wait, setImmediate as waitForLoop } from 'node:timers/promises'
import type { BinaryNode, WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { Lease } from '../../../process/lease.ts'
import { type IntakeTurns, STANZA_KINDS, type StanzaKind } from '../../intake-turns.ts'
import { PausedReads } from './paused-reads.ts'

/** A stanza that took longer is followed by a rest that is as long: others have half of the time at least. */
const LONG_MS = 20
/** A larger one takes most of its time in one piece, several times, so others have three quarters. */
const LARGE_BYTES = 64 * 1024
const LARGE_RESTS = 3
const MAX_REST_MS = 500

interface Deps {
  sock: WASocket
  instance: string
  turns: IntakeTurns
  lease: Pick<Lease, 'runs'>
  log: Log
}

/** Responses and acknowledgements are no such events, and pass at once: what is under way waits for them. */
const kinds = new Map<unknown, StanzaKind>(STANZA_KINDS.map((kind) => [`CB:${kind}`, kind]))

/** What is known of the connection only once it has the socket. */
interface Progress {
  /** Whether an acknowledgement is expected: the socket is read for it however much waits. */
  isExpecting(): boolean
  /** Resolves when all messages that the library has reported are stored. */
  waitUntilStored(): Promise<unknown>
}

/** Has to be created before other parts replace the socket's `emit`, because theirs must be called first. */
export class StanzaTurns {
  readonly #deps: Deps
  readonly #reads: PausedReads
  readonly #stopping = new AbortController()
  /** End the wait for stanzas that are under way. */
  readonly #releases = new Set<() => void>()
  #progress: Progress = { isExpecting: () => false, waitUntilStored: async () => undefined }
  #waiting = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#reads = new PausedReads(deps.sock, () => this.#progress.isExpecting())
    const { ws } = deps.sock
    const emit = ws.emit.bind(ws)
    ws.emit = (event, ...args) => {
      const kind = kinds.get(event)
      if (kind === undefined) return emit(event, ...args)
      void this.#handleInTurn(kind, args[0] as BinaryNode)
      return true
    }
  }

  setProgress(progress: Progress): void {
    this.#progress = progress
  }

  /** The socket has ended: what still waits is dropped, because the network delivers it again. */
  stop(): void {
    this.#stopping.abort()
    this.#reads.stop()
    for (const release of this.#releases) release()
  }

  async #handleInTurn(kind: StanzaKind, stanza: BinaryNode): Promise<void> {
    const { instance, turns } = this.#deps
    const bytes = countBytes(stanza)
    this.#waiting += 1
    this.#reads.addStanza(bytes)
    const turn = await turns.takeTurn(kind, instance)
    const beganAt = performance.now()
    await this.#handle(kind, stanza, bytes)
    this.#waiting -= 1
    this.#reads.removeStanza(bytes)
    await this.#pace(bytes, performance.now() - beganAt)
    turn.end()
  }

  async #handle(kind: StanzaKind, stanza: BinaryNode, bytes: number): Promise<void> {
    const { sock, lease, log } = this.#deps
    if (this.#stopping.signal.aborted || !sock.ws.isOpen || !lease.runs) return
    const released = Promise.withResolvers<void>()
    this.#releases.add(released.resolve)
    try {
      const handling = sock.ws.listeners(`CB:${kind}`).map((handle) => handle(stanza))
      await Promise.race([Promise.all(handling), released.promise])
      // A small one is stored in one commit with the keys of the next.
      if (bytes > LARGE_BYTES) await Promise.race([this.#progress.waitUntilStored(), released.promise])
    } catch (error) {
      log.error({ error, kind }, 'failed to handle what the network sent')
    } finally {
      this.#releases.delete(released.resolve)
    }
  }

  /** Resolves when the instance may go on with its next stanza. */
  async #pace(bytes: number, tookMs: number): Promise<void> {
    const { instance, turns } = this.#deps
    if (this.#waiting > 0) {
      await waitForLoop()
      const restMs = bytes > LARGE_BYTES ? tookMs * LARGE_RESTS : tookMs
      if (tookMs > LONG_MS) await this.#pause(Math.min(restMs, MAX_REST_MS))
    }
    while (!this.#stopping.signal.aborted) {
      const waitMs = turns.chargeBytes(instance, bytes)
      if (waitMs === 0) return
      await this.#pause(waitMs)
    }
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined)
  }
}

/** Of what is encrypted in it: the rest is small. */
function countBytes({ content }: BinaryNode): number {
  if (!Array.isArray(content)) return 0
  return content.reduce(
    (sum, child) => sum + (child.content instanceof Uint8Array ? child.content.length : 0),
    0,
  )
}
