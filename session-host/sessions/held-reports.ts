// Reports of new messages that wait for the file of their message, and the reports of the same chat that wait behind them.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import type { Cancel } from '../process/machine-clock.ts'
import { type Hold, listHeldReports, moveHeldReports, setHeldLink } from '../store/held-report-store.ts'
import type { Batch } from './intake-batch.ts'
import type { SessionDeps } from './session-deps.ts'

/** So long a report waits for its file. */
const HOLD_MS = 20 * SECOND

type NewEventReport = Omit<EventReport, 'n'>

/** Which chat a report is about; empty for none. */
function findChat({ payload }: Pick<EventReport, 'payload'>): string {
  const { chat, event } = payload as { chat?: { id?: string }; event?: { chatid?: string } }
  return chat?.id ?? event?.chatid ?? ''
}

export class HeldReports {
  readonly #deps: Pick<SessionDeps, 'store' | 'outbox' | 'clock'>
  readonly #instance: string
  readonly #enqueue: (work: (batch: Batch) => Promise<void>) => void
  /** Chats in which reports may wait: those that follow wait too. */
  readonly #chats = new Set<string>()
  /** By message, what ends the wait for its file. */
  readonly #waiting = new Map<string, Cancel>()
  #stopped = false

  constructor(
    deps: Pick<SessionDeps, 'store' | 'outbox' | 'clock'>,
    instance: string,
    enqueue: (work: (batch: Batch) => Promise<void>) => void,
  ) {
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
    if (messageid !== '') this.#waitForFile(messageid, HOLD_MS)
    return { chatid, messageid, until: messageid === '' ? 0 : Date.now() + HOLD_MS }
  }

  /** Ends the wait for files, each with its link if it is stored. Returns the messages whose reports were waiting. */
  async endWaits(batch: Batch, links: ReadonlyMap<string, string | undefined>): Promise<Set<string>> {
    const held = new Set([...links.keys()].filter((messageid) => this.#waiting.has(messageid)))
    if (held.size === 0) return held
    for (const messageid of held) {
      this.#forgetWait(messageid)
      const fileURL = links.get(messageid)
      if (fileURL !== undefined) batch.addStatement(setHeldLink(this.#instance, messageid, fileURL))
    }
    await this.releaseReady(batch)
    return held
  }

  /** Adds the reports that nothing waits for any more to the outbox. */
  async releaseReady(batch: Batch): Promise<void> {
    const ready: number[] = []
    const blocked = new Set<string>()
    for (const { n, chatid, messageid } of await listHeldReports(this.#deps.store, this.#instance)) {
      if (messageid !== '' && this.#waiting.has(messageid)) blocked.add(chatid)
      if (!blocked.has(chatid)) ready.push(n)
    }
    for (const part of moveHeldReports(this.#deps.store.holder, ready)) batch.addStatement(part)
    batch.onCommitted(() => {
      for (const chatid of this.#chats) if (!blocked.has(chatid)) this.#chats.delete(chatid)
      for (const chatid of blocked) this.#chats.add(chatid)
      if (ready.length > 0) this.#deps.outbox.sendStored()
    })
  }

  /** Adds all of them to the outbox: this host no longer receives the files. */
  releaseAll(batch: Batch): Promise<void> {
    this.stop()
    return this.releaseReady(batch)
  }

  /** Finds those that an earlier process or an earlier lease left, in the first batch of the session. */
  start(): void {
    this.#stopped = false
    this.#enqueue(async (batch) => {
      for (const { chatid, messageid, until } of await listHeldReports(this.#deps.store, this.#instance)) {
        this.#chats.add(chatid)
        const ms = Math.min(until - Date.now(), HOLD_MS)
        if (messageid !== '' && ms > 0) this.#waitForFile(messageid, ms)
      }
      if (this.#chats.size > 0) await this.releaseReady(batch)
    })
  }

  stop(): void {
    this.#stopped = true
    for (const messageid of [...this.#waiting.keys()]) this.#forgetWait(messageid)
  }

  /** After a commit that failed, which may have taken effect all the same. */
  recheckLater(): void {
    if (this.#chats.size > 0 && !this.#stopped)
      this.#deps.clock.runAfter(SECOND, () => this.#enqueue((batch) => this.releaseReady(batch)))
  }

  #waitForFile(messageid: string, ms: number): void {
    if (this.#stopped) return
    this.#waiting.get(messageid)?.()
    const cancel = this.#deps.clock.runAfter(ms, () =>
      this.#enqueue(async (batch) => void (await this.endWaits(batch, new Map([[messageid, undefined]])))),
    )
    this.#waiting.set(messageid, cancel)
  }

  #forgetWait(messageid: string): void {
    this.#waiting.get(messageid)?.()
    this.#waiting.delete(messageid)
  }
}
