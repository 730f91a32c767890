// Reports of new messages that wait for the file of their message, and the reports of the same chat that wait behind them.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import type { Cancel } from '../process/machine-clock.ts'
import {
  type Hold,
  listHeldReports,
  moveHeldReports,
  readHeldOfChat,
  setHeldLink,
} from '../store/held-report-store.ts'
import type { Batch } from './intake-batch.ts'
import type { SessionDeps } from './session-deps.ts'

/** So long a report waits for its file. */
const HOLD_MS = 20 * SECOND

type NewEventReport = Omit<EventReport, 'n'>

type Enqueue = (work: (batch: ReleasingBatch) => Promise<void>) => void

/** What a release needs of a batch. */
type ReleasingBatch = Pick<Batch, 'addStatement' | 'onCommitted'>

interface Deps {
  store: Pick<SessionDeps['store'], 'rows' | 'holder'>
  outbox: Pick<SessionDeps['outbox'], 'sendStored'>
  clock: Pick<SessionDeps['clock'], 'runAfter'>
}

interface Wait {
  chatid: string
  cancel: Cancel
}

/** Which chat a report is about; empty for none. */
function findChat({ payload }: Pick<EventReport, 'payload'>): string {
  const { chat, event } = payload as { chat?: { id?: string }; event?: { chatid?: string } }
  return chat?.id ?? event?.chatid ?? ''
}

export class HeldReports {
  readonly #deps: Deps
  readonly #instance: string
  readonly #enqueue: Enqueue
  /** Chats in which reports may wait: those that follow wait too. */
  readonly #chats = new Set<string>()
  /** The waits for files, by message. */
  readonly #waiting = new Map<string, Wait>()
  #stopped = false

  constructor(deps: Deps, instance: string, enqueue: Enqueue) {
    this.#deps = deps
    this.#instance = instance
    this.#enqueue = enqueue
  }

  /** Which of the reports wait, in the order in which they are committed. `filesOf`: the new messages whose files are fetched. */
  listHolds(reports: NewEventReport[], filesOf: ReadonlySet<string>): Map<NewEventReport, Hold> | undefined {
    if (filesOf.size === 0 && this.#chats.size === 0) return undefined
    const holds = new Map<NewEventReport, Hold>()
    for (const report of reports) {
      const hold = this.#findHold(report, filesOf)
      if (hold) holds.set(report, hold)
    }
    return holds
  }

  #findHold(report: NewEventReport, filesOf: ReadonlySet<string>): Hold | undefined {
    const chatid = findChat(report)
    const { message } = report.payload as { message?: { messageid: string } }
    const messageid =
      report.type === 'messages' && message && filesOf.has(message.messageid) ? message.messageid : ''
    if (chatid === '' || (messageid === '' && !this.#chats.has(chatid))) return undefined
    this.#chats.add(chatid)
    if (messageid !== '') this.#waitForFile({ chatid, messageid }, HOLD_MS)
    return { chatid, messageid, until: messageid === '' ? 0 : Date.now() + HOLD_MS }
  }

  /** Ends the wait for files, each with its link if it is stored. Returns the messages whose reports were waiting. */
  async endWaits(
    batch: ReleasingBatch,
    links: ReadonlyMap<string, string | undefined>,
  ): Promise<Set<string>> {
    const held = new Set<string>()
    const chats = new Set<string>()
    for (const [messageid, fileURL] of links) {
      const chatid = this.#waiting.get(messageid)?.chatid
      if (chatid === undefined) continue
      held.add(messageid)
      chats.add(chatid)
      this.#forgetWait(messageid)
      if (fileURL !== undefined)
        batch.addStatement(setHeldLink(this.#instance, { chatid, messageid }, fileURL))
    }
    if (held.size > 0) await this.#releaseReady(batch, chats)
    return held
  }

  /** Adds the reports of these chats that nothing waits for any more to the outbox. */
  async #releaseReady(batch: ReleasingBatch, chats: ReadonlySet<string>): Promise<void> {
    const ready: number[] = []
    const blocked = new Set<string>()
    for (const chatid of chats)
      for await (const { n, messageid } of readHeldOfChat(this.#deps.store, this.#instance, chatid)) {
        if (this.#waiting.has(messageid)) {
          blocked.add(chatid)
          break
        }
        ready.push(n)
      }
    for (const part of moveHeldReports(this.#deps.store.holder, ready)) batch.addStatement(part)
    batch.onCommitted(() => {
      for (const chatid of chats) if (!blocked.has(chatid)) this.#chats.delete(chatid)
      for (const chatid of blocked) this.#chats.add(chatid)
      if (ready.length > 0) this.#deps.outbox.sendStored()
    })
  }

  /** Adds all of them to the outbox: this host no longer receives the files. */
  async releaseAll(batch: ReleasingBatch): Promise<void> {
    this.stop()
    const held = await listHeldReports(this.#deps.store, this.#instance)
    await this.#releaseReady(batch, new Set([...this.#chats, ...held.map(({ chatid }) => chatid)]))
  }

  /** Finds those that an earlier process or an earlier lease left, in the first batch of the session. */
  start(): void {
    this.#stopped = false
    this.#enqueue(async (batch) => {
      for (const { chatid, messageid, until } of await listHeldReports(this.#deps.store, this.#instance)) {
        this.#chats.add(chatid)
        const ms = Math.min(until - Date.now(), HOLD_MS)
        if (messageid !== '' && ms > 0) this.#waitForFile({ chatid, messageid }, ms)
      }
      if (this.#chats.size > 0) await this.#releaseReady(batch, new Set(this.#chats))
    })
  }

  stop(): void {
    this.#stopped = true
    for (const messageid of [...this.#waiting.keys()]) this.#forgetWait(messageid)
  }

  /** After a commit that failed, which may have taken effect all the same. */
  recheckLater(): void {
    if (this.#chats.size > 0 && !this.#stopped)
      this.#deps.clock.runAfter(SECOND, () =>
        this.#enqueue((batch) => this.#releaseReady(batch, new Set(this.#chats))),
      )
  }

  #waitForFile({ chatid, messageid }: Pick<Hold, 'chatid' | 'messageid'>, ms: number): void {
    if (this.#stopped) return
    this.#waiting.get(messageid)?.cancel()
    const cancel = this.#deps.clock.runAfter(ms, () =>
      this.#enqueue(async (batch) => void (await this.endWaits(batch, new Map([[messageid, undefined]])))),
    )
    this.#waiting.set(messageid, { chatid, cancel })
  }

  #forgetWait(messageid: string): void {
    this.#waiting.get(messageid)?.cancel()
    this.#waiting.delete(messageid)
  }
}
