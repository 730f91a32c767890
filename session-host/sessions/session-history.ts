// Stores the history that the phone sends of a linking, in small commits with pauses between them, and how far it has come.

import { setTimeout as wait, setImmediate as yieldTurn } from 'node:timers/promises'
import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { HistoryChunk, HistoryPage, PastMessage } from '../driver/driver.ts'
import { isPlainName } from '../driver/message-names.ts'
import type { Cancel } from '../process/machine-clock.ts'
import type { Mutex } from '../process/mutex.ts'
import { addPastChat, findTakenNames } from '../store/history-store.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { SessionRow } from '../store/session-store.ts'
import { HistoryReports, type NewMessage } from './history-reports.ts'
import type { Intake } from './intake.ts'
import type { Batch } from './intake-batch.ts'
import { LateMessages } from './late-messages.ts'
import { addReaction, type KnownGroups, MAX_REACTIONS } from './message-changes.ts'
import { resolveName, toOrigin } from './message-lookup.ts'
import { toRow } from './message-records.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

/** Of one linking. The largest histories of phones have some hundred thousand. */
const MAX_MESSAGES = 1_000_000
/** After each commit, so that other sessions come first: four times as long as it took to read and store it, within these. */
const PAUSE_MS = { min: 2, max: 100 }
const PAUSE_SHARE = 4
/** The phone sends the next chunk within seconds, unless it is off. */
const SILENCE_MS = 10 * MINUTE

type Deps = Pick<SessionDeps, 'store' | 'outbox' | 'clock' | 'log'>
type StoredHistory = NonNullable<SessionRow['history']>

export class History {
  readonly #deps: Deps
  readonly #state: StoredState
  readonly #intake: Intake
  readonly #getGroups: () => Pick<KnownGroups, 'getName'>
  /** The session's: changes of its state are made one after the other. */
  readonly #mutex: Mutex
  readonly #late: LateMessages
  readonly #reports = new HistoryReports()
  #cancelSilence: Cancel | undefined
  /** Stored since the last chunk was finished. */
  #unfinished = 0
  /** When the last pause ended. */
  #resumedAt = 0

  constructor(
    deps: Deps,
    parts: {
      state: StoredState
      intake: Intake
      mutex: Mutex
      getGroups: () => Pick<KnownGroups, 'getName'>
    },
  ) {
    this.#deps = deps
    this.#state = parts.state
    this.#intake = parts.intake
    this.#mutex = parts.mutex
    this.#getGroups = parts.getGroups
    this.#late = new LateMessages(deps, parts.state, parts.intake)
  }

  get mode(): HistoryMode {
    return this.#stored?.mode ?? 'none'
  }

  /** What has to be read of it: a gap is filled whatever was asked for. */
  get readMode(): HistoryMode {
    return this.mode === 'none' && this.#late.isExpected ? 'recent' : this.mode
  }

  get #stored(): SessionRow['history'] {
    return this.#state.row.history
  }

  /** With the session's mutex held, before a device is linked. */
  async choose(mode: HistoryMode): Promise<void> {
    this.#unfinished = 0
    if (mode === this.mode && (!this.#stored || this.#stored.state === 'waiting')) return
    const chosen = { mode, state: 'waiting', progress: 0, messages: 0 } as const
    await this.#state.change({ history: mode === 'none' ? null : chosen })
  }

  /** Called when this host holds the instance. */
  start(): void {
    this.#late.start()
  }

  /** From now on the phone is expected to send what is missing. */
  handleLogin(): void {
    this.#late.handleLogin()
    if (this.#isExpected()) this.#awaitNext()
  }

  /** `ids`: of reports that no webhook gets. */
  noteUnwanted(ids: string[]): void {
    this.#reports.noteUnwanted(ids)
  }

  handleEnd(): void {
    this.#late.handleEnd()
    this.#stopWaiting()
  }

  #stopWaiting(): void {
    this.#cancelSilence?.()
    this.#cancelSilence = undefined
  }

  /** Resolves when the messages are on disk, and the next may come without a delay for others. */
  async storePage(page: HistoryPage): Promise<void> {
    if (!isExtra(page)) await this.#recordBeginning()
    // A chunk may arrive before the commit of the login that opens the gap.
    if (this.#late.isExpected) await this.#mutex(async () => undefined)
    if (this.#isFull()) return
    await this.#deps.outbox.waitForRoom()
    // Reading it, making rows of it, and their commit take a turn each.
    await yieldTurn()
    const added = await this.#intake.runInBatch((batch) => this.#addPage(batch, page))
    if (page.kind !== 'shared') this.#unfinished += added
    await this.#applyEarly(page)
    if (this.#late.hasBegun) await this.#mutex(() => this.#late.reportBeginning())
    const pause = PAUSE_SHARE * (performance.now() - this.#resumedAt)
    await wait(Math.min(Math.max(pause, PAUSE_MS.min), PAUSE_MS.max))
    this.#resumedAt = performance.now()
  }

  /** With the session's mutex held: all messages of the chunk are on disk. */
  async finishChunk(chunk: HistoryChunk): Promise<void> {
    this.#reports.endChunk(chunk)
    if (chunk.kind === 'shared') return
    const stored = this.#stored
    const progress = this.#computeTotal(chunk)
    await this.#late.finishChunk(chunk, chunk.kind !== 'requested' && progress >= 100)
    if (!stored) return
    const messages = stored.messages + this.#unfinished
    this.#unfinished = 0
    if (chunk.kind === 'requested') return
    const state = progress >= 100 ? 'complete' : 'syncing'
    await this.#state.change({ history: { ...stored, state, progress, messages } })
    if (state === 'complete') this.#stopWaiting()
    else this.#awaitNext()
  }

  /** Of the whole linking, so that it never falls: each kind of chunk counts from 0, and one that was requested says nothing of it. */
  #computeTotal(chunk: HistoryChunk): number {
    const stored = this.#stored
    if (!stored) return computeProgress('recent', chunk)
    if (isExtra(chunk)) return stored.progress
    return Math.max(stored.progress, computeProgress(stored.mode, chunk))
  }

  async #recordBeginning(): Promise<void> {
    if (this.#isExpected()) this.#awaitNext()
    const { state } = this.#stored ?? {}
    if (state !== 'waiting' && state !== 'stopped') return
    await this.#mutex(() => this.#changeState('syncing'))
  }

  async #changeState(state: StoredHistory['state']): Promise<void> {
    const stored = this.#stored
    if (stored) await this.#state.change({ history: { ...stored, state } })
  }

  #isExpected(): boolean {
    return this.#stored?.state === 'waiting' || this.#stored?.state === 'syncing'
  }

  #awaitNext(): void {
    this.#cancelSilence?.()
    this.#cancelSilence = this.#deps.clock.runAfter(SILENCE_MS, () => {
      this.#mutex(async () => {
        if (this.#isExpected()) await this.#changeState('stopped')
      }).catch((error) => this.#deps.log.error({ error }, 'failed to store state of history'))
    })
  }

  /** A phone that never ends must not fill the disk. */
  #isFull(): boolean {
    return (this.#stored?.messages ?? 0) + this.#unfinished >= MAX_MESSAGES
  }

  /** Returns how many messages were new. */
  async #addPage(batch: Batch, page: HistoryPage): Promise<number> {
    const { instance } = this.#state.row
    const taken = page.messages.filter(({ at }) => this.#isTaken(page) || this.#late.isLate(at))
    // The oldest first, as if they had come then: within a second the order of storing counts.
    const fresh = await this.#addNew(batch, page, taken.toReversed())
    const newest = new Map<string, NewMessage>()
    for (const one of fresh) {
      const { chatid, at } = one.row
      if (at >= (newest.get(chatid)?.row.at ?? 0)) newest.set(chatid, one)
    }
    for (const { row, name } of newest.values()) batch.addStatement(addPastChat(instance, row.record, name))
    this.#report(batch, page, fresh)
    return fresh.length
  }

  #isTaken(page: HistoryPage): boolean {
    return isExtra(page) || this.mode !== 'none'
  }

  /** Those of a gap are reported as messages once their order is known. */
  #report(batch: Batch, page: HistoryPage, news: NewMessage[]): void {
    const { late = [], past = [] } = Object.groupBy(news, ({ row }) => (row.record.late ? 'late' : 'past'))
    if (page.kind !== 'shared') this.#late.addPage(batch, page, late)
    batch.addEvents(...this.#reports.create({ ...page, progress: this.#computeTotal(page) }, past))
  }

  /** Returns what was not stored before, with the words of the edits among it, and what the sealed messages say. */
  async #addNew(batch: Batch, { kind }: HistoryPage, messages: PastMessage[]): Promise<NewMessage[]> {
    const { changes } = this.#intake
    const names = messages.map(({ messageid }) => messageid)
    const taken = await findTakenNames(this.#deps.store, this.#state.row.instance, names)
    const fresh = new Map<string, NewMessage>()
    const sealed: { row: MessageRow; name: string; message: PastMessage }[] = []
    for (const message of messages) {
      const { messageid, isEdited } = message
      const isFree = !taken.has(messageid) && isPlainName(messageid)
      const named = isFree ? { name: messageid } : await resolveName(batch, messageid, toOrigin(message))
      // Who shares a history may make it up, so it changes nothing that is here.
      if (named.row && (!isEdited || kind === 'shared')) continue
      const one = await this.#createNew(
        message,
        named.name,
        kind !== 'shared' && this.#late.isLate(message.at),
      )
      taken.add(named.name)
      if (named.row) changes.changePast(batch, named.row, one.row, fresh.has(named.name))
      else if (message.sealed) sealed.push({ ...one, message })
      else {
        batch.addPastRow(one.row, one.json)
        fresh.set(named.name, one)
      }
    }
    for (const one of sealed) {
      const opened = await changes.addPast(batch, one.row, one.message, (id) => fresh.has(id))
      if (opened) fresh.set(opened.messageid, describeNew(opened, one.name, one.message.order))
    }
    return Promise.all([...fresh.values()].map((one) => readChanged(batch, one)))
  }

  async #createNew(message: PastMessage, messageid: string, late: boolean): Promise<NewMessage> {
    const { instance } = this.#state.row
    const { isGroup, chat, chatName, fromMe, isEdited, reactions } = message
    const groupName = isGroup ? this.#getGroups().getName(chat.id) || chatName : ''
    const about = { instance, owner: this.#state.owner, groupName }
    const sender = fromMe ? message.sender : await this.#intake.usernames.complete(message.sender)
    const people = await this.#intake.people.describe(message)
    const named = { ...message, messageid, sender, late }
    const row = late ? toRow(named, { ...about, people }) : toRow(named, { ...about, people }, 'history')
    const said = isEdited ? { ...row.record, edited: messageid } : row.record
    const record = (reactions ?? [])
      .slice(-MAX_REACTIONS)
      .reduce(
        (reacted, { sender: { id: sender, pn: sender_pn, lid: sender_lid }, ...reaction }) =>
          addReaction(reacted, { ...reaction, sender, sender_pn, sender_lid, senderName: '' }),
        said,
      )
    const name = isGroup ? groupName : chatName || (fromMe ? '' : message.senderName)
    const unread = late && row.unread
    const { order = 0 } = message
    return {
      row: { ...row, record, unread, storedAt: Date.now() },
      json: JSON.stringify(record),
      name,
      order,
    }
  }

  /** What arrived before these messages and changes or answers them is applied. */
  async #applyEarly(page: HistoryPage): Promise<void> {
    const { changes } = this.#intake
    const early = await changes.selectEarly(page.messages.map(({ messageid }) => messageid))
    if (early.length === 0) return
    await this.#intake.runInBatch(async (batch) => {
      const opened: MessageRow[] = []
      for (const id of early) await changes.applyEarly(batch, id, opened)
      this.#report(
        batch,
        page,
        opened.map((row) => describeNew(row, row.record.groupName)),
      )
    })
  }
}

/** Taken whatever was asked for, and says nothing of how far the history has come. */
const isExtra = ({ kind }: HistoryChunk): boolean => kind === 'requested' || kind === 'shared'

const describeNew = (row: MessageRow, name: string, order = 0): NewMessage => ({
  row,
  json: JSON.stringify(row.record),
  name,
  order,
})

async function readChanged(batch: Batch, one: NewMessage): Promise<NewMessage> {
  const row = await batch.findRow(one.row.messageid)
  return !row || row.record === one.row.record ? one : { ...one, row, json: JSON.stringify(row.record) }
}

/** Of a full history the recent one is the first half. */
function computeProgress(mode: HistoryMode, { kind, progress }: HistoryChunk): number {
  // The first chunk is the last one of an account without more.
  if (kind === 'first' && progress < 100) return 0
  if (mode !== 'full') return progress
  return Math.floor(progress / 2) + (kind === 'full' ? 50 : 0)
}
