// Messages that could not be decrypted and that their senders did not repair: the phone is asked for each once, ten seconds after its event.

import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import type { Connection, NetworkMessage, NetworkOutcome } from '../driver/driver.ts'
import {
  addLost,
  deleteLost,
  deleteLostBefore,
  type LostRow,
  listLost,
  markAsked,
} from '../store/lost-store.ts'
import type { Batch } from './intake-batch.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

const ASK_AFTER_MS = 10 * SECOND
/** For the network to have read the request. */
const ASK_WITHIN_MS = 10 * SECOND
/** Phones do not send older ones. */
const MAX_AGE_MS = 14 * DAY
/** Of an instance: strangers can send what nobody can decrypt. Of more, the phone is not asked. */
const MAX_LOST = 1000
/** At a time, and then again after a pause. */
const MAX_ASKED = 10
/** What is due so soon is asked for with what is due. */
const TOGETHER_MS = SECOND

type Deps = Pick<SessionDeps, 'store' | 'clock' | 'log'>

export class LostMessages {
  readonly #deps: Deps
  readonly #state: StoredState
  readonly #known = new Map<string, LostRow>()
  #connection: Connection | undefined
  #cancelNext: (() => void) | undefined

  constructor(deps: Deps, state: StoredState) {
    this.#deps = deps
    this.#state = state
  }

  /** Before the first message of the session. */
  async load(): Promise<void> {
    const rows = await listLost(this.#deps.store, this.#state.row.instance)
    for (const row of rows) this.#known.set(row.name, row)
  }

  /** An undecryptable message is reported. */
  add(batch: Batch, name: string, event: Pick<LostRow, 'messageid' | 'chatid' | 'sender'>): void {
    const { instance } = this.#state.row
    const now = this.#now()
    for (const row of this.#known.values()) if (row.at < now - MAX_AGE_MS) this.#known.delete(row.name)
    batch.addStatement(deleteLostBefore(this.#deps.store, instance, now - MAX_AGE_MS))
    if (this.#known.size >= MAX_LOST) return
    const { messageid, chatid, sender } = event
    const row = { instance, name, messageid, chatid, sender, at: now, dueAt: now + ASK_AFTER_MS }
    batch.addStatement(addLost(this.#deps.store, row))
    batch.onCommitted(() => {
      this.#known.set(name, row)
      this.#schedule(ASK_AFTER_MS)
    })
  }

  /** The message has come. Returns whether the phone was asked for it. */
  handleArrival(batch: Batch, { messageid, chat, sender }: NetworkMessage): boolean {
    // The phone may name people by their other ids.
    const row = this.#list().find(
      (lost) =>
        lost.messageid === messageid &&
        [chat.id, chat.lid].includes(lost.chatid) &&
        [sender.id, sender.pn, sender.lid].includes(lost.sender),
    )
    if (!row) return false
    batch.addStatement(deleteLost(this.#deps.store, row))
    batch.onCommitted(() => this.#known.delete(row.name))
    return row.dueAt === null
  }

  find(messageid: string): LostRow | undefined {
    return this.#list().findLast((row) => row.messageid === messageid)
  }

  async ask(
    row: LostRow,
    network: Pick<Connection, 'requestResend'>,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    await this.#markAsked(row)
    return network.requestResend(toLostKey(row, this.#state), deadline)
  }

  /** Stored before the phone is asked: its answer may come at once, and it is asked by itself once only. */
  async #markAsked(row: LostRow): Promise<void> {
    const { store } = this.#deps
    await store.commitFor(row.instance, [markAsked(store, row)])
    if (this.#known.has(row.name)) this.#known.set(row.name, { ...row, dueAt: null })
  }

  handleLogin(connection: Connection): void {
    this.#connection = connection
    if (this.#listWaiting().length > 0) this.#schedule(ASK_AFTER_MS)
  }

  handleEnd(): void {
    this.#connection = undefined
    this.#cancelNext?.()
    this.#cancelNext = undefined
  }

  #listWaiting(): (LostRow & { dueAt: number })[] {
    return this.#list().flatMap((row) => (row.dueAt === null ? [] : { ...row, dueAt: row.dueAt }))
  }

  #list(): LostRow[] {
    return this.#known.size === 0 ? [] : [...this.#known.values()]
  }

  #schedule(ms: number): void {
    if (this.#cancelNext || !this.#connection) return
    this.#cancelNext = this.#deps.clock.runAfter(ms, () => {
      this.#cancelNext = undefined
      this.#askForDue()
        .catch((error) => this.#deps.log.warn({ error }, 'failed to ask for lost messages'))
        .finally(() => {
          const next = this.#findNextDue()
          if (next !== undefined) this.#schedule(next)
        })
    })
  }

  async #askForDue(): Promise<void> {
    const soon = this.#now() + TOGETHER_MS
    const due = this.#listWaiting().filter(({ dueAt }) => dueAt <= soon)
    for (const row of due.slice(0, MAX_ASKED)) {
      const connection = this.#connection
      // The next login goes on.
      if (!connection) return
      await this.ask(row, connection, AbortSignal.timeout(ASK_WITHIN_MS))
    }
  }

  /** In milliseconds; a pause where some are due already. Undefined if none waits. */
  #findNextDue(): number | undefined {
    const waiting = this.#listWaiting()
    if (waiting.length === 0) return undefined
    const ms = Math.min(...waiting.map(({ dueAt }) => dueAt)) - this.#now()
    return ms > 0 ? Math.min(ms, ASK_AFTER_MS) : ASK_AFTER_MS
  }

  /** In milliseconds since the epoch; a test moves it with the clock. */
  #now(): number {
    return Math.round(Date.now() + this.#deps.clock.now() - performance.now())
  }
}

function toLostKey({ messageid, chatid, sender }: LostRow, { now: { jid, lid } }: StoredState) {
  const fromMe = sender !== '' && [jid, lid].includes(sender)
  return { messageid, chatid, sender, fromMe, isGroup: chatid.endsWith('@g.us') }
}
