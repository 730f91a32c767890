// Tracks messages whose send ended as unknown: what the network reports of one later is the late outcome of its act.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { TextResponse } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionName } from '@msgnet/shared/wire/session-actions.ts'
import type { Log } from '../process/host-log.ts'
import type { Journal } from '../store/act-journal.ts'
import { findPrevention, refuseByCode } from './action.ts'

interface TrackedAct {
  id: string
  instance: string
  action: string
}

type ResolvedListener = (known: { id: string; instance: string; outcome: Outcome }) => void

export class UnknownOutcomes {
  readonly #journal: Journal
  readonly #log: Log
  readonly #acts = new Map<string, TrackedAct>()
  #listener: ResolvedListener = () => undefined

  private constructor(journal: Journal, log: Log) {
    this.#journal = journal
    this.#log = log
  }

  static async open(journal: Journal, log: Log): Promise<UnknownOutcomes> {
    const outcomes = new UnknownOutcomes(journal, log)
    await outcomes.#load()
    return outcomes
  }

  /** Tracks a message whose act has ended with an unknown outcome. */
  trackMessage(messageid: string, act: TrackedAct): void {
    this.#acts.set(messageid, act)
  }

  /** Loads the outcomes that another host tracked, for an instance that this host takes over. */
  loadTrackedActs(instance: string): Promise<void> {
    return this.#load(instance)
  }

  /** Resolves the act of a message, if it is tracked and `record` shows the outcome of its send. */
  resolveFromRecord(record: MessageRecord): void {
    const act = this.#acts.get(record.messageid)
    if (!act || record.status === 'Pending') return
    this.#acts.delete(record.messageid)
    this.#resolve(act, toOutcome(act.action as ActionName, record)).catch((error) =>
      this.#log.error({ act: act.id, error }, 'failed to store late outcome'),
    )
  }

  /** Sets the listener that is called with each resolved outcome. */
  onResolved(listener: ResolvedListener): void {
    this.#listener = listener
  }

  async #load(instance?: string): Promise<void> {
    for (const { messageid, ...act } of await this.#journal.listUnknown(instance)) {
      // The host that stopped may have sent some files of an album: that the album was sent does not say which.
      if (act.action !== 'message.sendAlbum') this.#acts.set(messageid, act)
    }
  }

  async #resolve({ id, instance }: TrackedAct, outcome: Outcome): Promise<void> {
    await this.#journal.resolveOutcome(id, outcome)
    this.#listener({ id, instance, outcome })
  }
}

/** The answer to who has set the timer of a chat. */
export const describeTimer = (seconds: number): TextResponse => ({
  response: seconds > 0 ? 'Messages disappear' : 'Messages stay',
})

const countFiles = ({ content }: MessageRecord): number =>
  Number(content.images ?? 0) + Number(content.videos ?? 0)

/** The outcome of an act, from the record of its message. */
export function toOutcome(action: ActionName, record: MessageRecord): Outcome {
  if (record.status === 'Failed') {
    const code = Number(record.error)
    if (Number.isInteger(code) && code > 0) return refuseByCode(code)
    return findPrevention(record.error) ?? createRefusal('operation_refused')
  }
  if (action === 'chat.ephemeral') return createDoneOutcome(describeTimer(Number(record.content.seconds)))
  // Its files are sent once it is known to be sent.
  if (action === 'message.sendAlbum')
    return createDoneOutcome({ ...record, sent: 0, unsent: countFiles(record), messages: [] })
  if (action !== 'message.delete') return createDoneOutcome(record)
  return createDoneOutcome({
    id: `${record.owner}:${record.content.target}`,
    timestamp: record.messageTimestamp,
  })
}
