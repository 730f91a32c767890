// Messages that change others as they arrive: sealed ones are opened, and those whose message is missing wait for it.

import type { NetworkMessage } from '../driver/driver.ts'
import type { MessageRow } from '../store/message-store.ts'
import { createUnreadableVoteEvent } from './apply-vote.ts'
import type { ChatTimers } from './chat-timers.ts'
import { EarlyChanges } from './early-changes.ts'
import type { Batch } from './intake-batch.ts'
import { applyEffect, applyPastEdit, type KnownGroups, reportMessage } from './message-changes.ts'
import type { NamedPeople } from './named-people.ts'
import { type Opener, type Opening, openSealedRow } from './sealed-changes.ts'
import type { SessionDeps } from './session-deps.ts'
import type { UndecryptableMessages } from './undecryptable-messages.ts'

export class IncomingChanges {
  readonly #driver: SessionDeps['driver']
  readonly #opener: Opener
  readonly #getGroups: () => KnownGroups
  readonly #timers: ChatTimers
  readonly #undecryptable: UndecryptableMessages
  readonly #early: EarlyChanges

  constructor(
    { driver, store }: Pick<SessionDeps, 'driver' | 'store'>,
    instance: string,
    parts: {
      getGroups: () => KnownGroups
      timers: ChatTimers
      people: NamedPeople
      undecryptable: UndecryptableMessages
    },
  ) {
    this.#opener = { openSealed: driver.openSealed, describePeople: (named) => parts.people.describe(named) }
    this.#driver = driver
    this.#getGroups = parts.getGroups
    this.#timers = parts.timers
    this.#undecryptable = parts.undecryptable
    this.#early = new EarlyChanges(store, instance)
  }

  /** The row as it is to be stored. */
  async open(
    batch: Batch,
    row: MessageRow,
    { sealed, isGroup, targetAuthor }: NetworkMessage,
  ): Promise<Opening> {
    if (!sealed) return { state: 'open', row }
    return openSealedRow(batch, row, this.#opener, isGroup ? targetAuthor : '')
  }

  /** Reports a new message, or that it cannot be read. A change of a message that is missing is stored until that arrives. */
  async report(batch: Batch, { state, row, event }: Opening, author: string): Promise<void> {
    if (state === 'open') {
      if (await reportMessage(batch, row, this.#getContext(), author)) return
      await this.#early.add(batch, row)
      if (row.record.type === 'vote')
        this.#undecryptable.postponeChange(batch, row, createUnreadableVoteEvent(row.record))
      return
    }
    if (state === 'early') await this.#early.add(batch, row)
    if (state === 'early' && event) this.#undecryptable.postponeChange(batch, row, event)
    else if (event) batch.addEvents(event)
  }

  /**
   * A sealed message of the history. One whose target is missing waits for it without a word: the phone sends the newest first.
   * `isNew`: whether a message is reported by this batch itself, as it is then. Returns the row of one that is itself to be reported.
   */
  async addPast(
    batch: Batch,
    row: MessageRow,
    message: NetworkMessage,
    isNew: (messageid: string) => boolean,
  ): Promise<MessageRow | undefined> {
    const opening = await this.open(batch, row, message)
    batch.addPastRow(opening.row, JSON.stringify(opening.row.record))
    if (opening.state === 'early') {
      await this.#early.add(batch, row)
      return undefined
    }
    const isSaid = isReportable(opening) || (opening.state === 'open' && isNew(row.record.edited))
    await this.report(isSaid ? batch.withoutEvents() : batch, opening, message.targetAuthor)
    return isReportable(opening) ? opening.row : undefined
  }

  /** The history has the words of an edit for a message that is stored. An edit that came by itself is newer than a history may be. */
  changePast(batch: Batch, target: MessageRow, edited: MessageRow, isNew: boolean): void {
    if (isNew) applyPastEdit(batch.withoutEvents(), target, edited, this.#driver)
    else if (target.record.edited === '') applyPastEdit(batch, target, edited, this.#driver)
  }

  /** Those of these messages for which changes wait. */
  async selectEarly(messageids: string[]): Promise<string[]> {
    const early: string[] = []
    for (const id of messageids) if ((await this.#early.list(id)).length > 0) early.push(id)
    return early
  }

  /**
   * The message with this id is stored now: what arrived before it and changes it is applied and reported. `past`: for a message of a
   * history, which reports itself what stood sealed in it; those rows are added to it.
   */
  async applyEarly(batch: Batch, messageid: string, past?: MessageRow[]): Promise<void> {
    const rows: MessageRow[] = []
    for (const change of await this.#early.list(messageid)) {
      const row = await batch.findRow(change)
      if (row) rows.push(row)
      else this.#early.remove(batch, change)
    }
    // Those of a history come the newest first.
    for (const row of rows.toSorted((one, other) => one.at - other.at))
      if (await this.#applyOne(batch, row, past)) this.#early.remove(batch, row.messageid)
  }

  /** Another host may change them from now on. */
  clear(): void {
    this.#early.clear()
  }

  #getContext = () => ({ driver: this.#driver, groups: this.#getGroups(), timers: this.#timers })

  /** Returns false if it is not this message that it changes. */
  async #applyOne(batch: Batch, row: MessageRow, past: MessageRow[] | undefined): Promise<boolean> {
    const driver = this.#driver
    if (row.encoded && driver.isSealed(row.encoded)) {
      const opening = await openSealedRow(batch, row, this.#opener, '')
      if (opening.state === 'early') return false
      this.#undecryptable.handleTarget(batch, row)
      batch.rewriteRow(opening.row)
      const ofPast = row.record.source === 'history' && isReportable(opening) ? past : undefined
      ofPast?.push(opening.row)
      await this.report(ofPast ? batch.withoutEvents() : batch, opening, '')
      return true
    }
    // A message that is reported itself was reported when it arrived.
    if (!row.change) return applyEffect(batch, row, driver, '')
    const isApplied = await reportMessage(batch, row, this.#getContext())
    if (isApplied) this.#undecryptable.handleTarget(batch, row)
    return isApplied
  }
}

/** A comment, a reaction or an answer is a message of its own, also if it cannot be read. */
const isReportable = ({ state, row }: Opening): boolean =>
  row.record.type !== 'edit' && (state === 'open' || state === 'unreadable')
