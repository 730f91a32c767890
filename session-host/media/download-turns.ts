// Downloads of the files of messages: in turns by instance, with a bound on the bytes of a minute, and piece by piece between other work.

import type { Readable } from 'node:stream'
import { setTimeout as wait, setImmediate as waitForLoop } from 'node:timers/promises'
import { SECOND } from '../../shared/date-time.ts'
import { FairTurns, type Turn, type TurnRefusalReason, TurnRefused } from '../../shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '../../shared/wire/outcome.ts'

/** A reader that is slow has its download for as long as the act may take, so there are many; each has less than a MiB of memory. */
const FILES = { maxUnderWay: 128, maxUnderWayOfOne: 32, maxWaiting: 256, maxWaitingOfOne: 32 }
/** A download waits for one piece at a time, so there is always room for it. */
const PIECES = { maxUnderWay: 1, maxUnderWayOfOne: 1, maxWaiting: 128, maxWaitingOfOne: 32 }
const MAX_WAIT_MS = 10 * SECOND

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many downloads of files are under way.',
  cost: 'The downloads of files by this instance have taken all the bytes of this minute.',
  time: 'Other downloads of files took all the time there was.',
}

export class DownloadTurns {
  /** Cost in bytes. */
  readonly files: FairTurns
  readonly #pieces = new FairTurns(PIECES)

  /** `bytesPerMinute`: of an instance; 0 for no limit. */
  constructor(bytesPerMinute: number) {
    this.files = new FairTurns({ ...FILES, ...(bytesPerMinute > 0 && { costPerMinute: bytesPerMinute }) })
  }

  /** Runs `work`, which passes its file through the given download, when it is the turn of this instance. */
  async runDownload<Value>(
    instance: string,
    deadline: AbortSignal,
    work: (download: PacedDownload) => Promise<Value>,
  ): Promise<Value | RefusedOutcome> {
    let turn: Turn
    try {
      turn = await this.files.takeTurn(
        instance,
        AbortSignal.any([deadline, AbortSignal.timeout(MAX_WAIT_MS)]),
      )
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error
      return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
    }
    try {
      return await work(new PacedDownload(instance, turn, this.#pieces, deadline))
    } finally {
      turn.end()
    }
  }
}

export class PacedDownload {
  readonly #instance: string
  readonly #turn: Turn
  readonly #pieces: FairTurns
  readonly #deadline: AbortSignal

  constructor(instance: string, turn: Turn, pieces: FairTurns, deadline: AbortSignal) {
    this.#instance = instance
    this.#turn = turn
    this.#pieces = pieces
    this.#deadline = deadline
  }

  /**
   * The pieces of a file. All downloads of a host pass one in a turn of the event loop, so that messages go between them. An instance
   * that has used its bytes goes on as slowly as it gets new ones: what its caller has of the file is not lost.
   */
  async *passPieces(file: Readable): AsyncGenerator<Uint8Array, void> {
    let waitMs = 0
    for await (const piece of file as AsyncIterable<Uint8Array>) {
      if (waitMs > 0) await wait(waitMs, undefined, { signal: this.#deadline })
      const place = await this.#pieces.takeTurn(this.#instance, this.#deadline)
      try {
        await waitForLoop()
      } finally {
        place.end()
      }
      waitMs = this.#turn.charge(piece.length)
      yield piece
    }
  }
}
