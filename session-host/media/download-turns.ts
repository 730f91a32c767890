// Downloads of the files of messages: in turns by instance, with a bound on the bytes of a minute, and piece by piece between other work.

import type { Readable } from 'node:stream'
import { setTimeout as wait, setImmediate as waitForLoop } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, type TurnRefusalReason, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'

/** A reader that is slow has its download for as long as the act may take, so there are many; each has less than a MiB of memory. */
const FILES = {
  maxUnderWay: 128,
  maxUnderWayOfOne: 32,
  keptForIdle: 32,
  maxWaiting: 256,
  maxWaitingOfOne: 32,
}
/** A download waits for one piece at a time, so there is always room for it. */
const PIECES = { maxUnderWay: 1, maxUnderWayOfOne: 1, maxWaiting: 128, maxWaitingOfOne: 32 }
const MAX_WAIT_MS = 10 * SECOND
/** In milliseconds. A turn of the event loop that took longer is followed by a rest that is as long: others have half of the time at least. */
const SHORT_TURN = 1
const MAX_REST = 20
/** Of a download whose reader takes nothing for so long, the place is given to one that waits. */
const STALLED_MS = 5 * SECOND
/** How often a download that waits looks for such a place, as a part of that. */
const LOOKS = 5

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many downloads of files are under way.',
  cost: 'The downloads of files by this instance have taken all the bytes of this minute.',
  time: 'Other downloads of files took all the time there was.',
}

const UNREAD = 'The file was not read, and other downloads waited for its place.'

export class DownloadTurns {
  /** Cost in bytes. */
  readonly files: FairTurns
  readonly #pieces = new FairTurns(PIECES)
  readonly #underWay = new Set<PacedDownload>()
  readonly #stalledMs: number

  /** `bytesPerMinute`: of an instance; 0 for no limit. */
  constructor(bytesPerMinute: number, stalledMs = STALLED_MS) {
    this.#stalledMs = stalledMs
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
      turn = await this.#takePlace(instance, deadline)
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error
      return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
    }
    const download = new PacedDownload(instance, turn, this.#pieces, deadline)
    this.#underWay.add(download)
    try {
      return await work(download)
    } finally {
      this.#underWay.delete(download)
      // A piece that still waits for its turn would stand in the way of the next download.
      download.end()
      turn.end()
    }
  }

  /** While it waits, downloads that are not read are ended. */
  async #takePlace(instance: string, deadline: AbortSignal): Promise<Turn> {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(MAX_WAIT_MS)])
    const timer = setInterval(() => this.#findStalled(instance)?.end(), this.#stalledMs / LOOKS)
    return this.files.takeTurn(instance, signal).finally(() => clearInterval(timer))
  }

  /** Of the instance itself, if it has all that one may have; else of the one with the most under way. */
  #findStalled(instance: string): PacedDownload | undefined {
    const counts = new Map<string, number>()
    for (const { instance: owner } of this.#underWay) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const count = ({ instance: owner }: PacedDownload) => counts.get(owner) ?? 0
    const isAtItsBound = (counts.get(instance) ?? 0) >= this.files.limits.maxUnderWayOfOne
    return [...this.#underWay]
      .filter((one) => one.unreadMs >= this.#stalledMs && (!isAtItsBound || one.instance === instance))
      .sort((one, other) => count(other) - count(one) || other.unreadMs - one.unreadMs)[0]
  }
}

export class PacedDownload {
  readonly instance: string
  readonly #turn: Turn
  readonly #pieces: FairTurns
  readonly #ended = new AbortController()
  /** Aborted at the deadline, when it is over, or when others waited and nothing was read. */
  readonly signal: AbortSignal
  /** Since when its reader has taken nothing; undefined while it waits for a piece. */
  #unreadSince: number | undefined

  constructor(instance: string, turn: Turn, pieces: FairTurns, deadline: AbortSignal) {
    this.instance = instance
    this.#turn = turn
    this.#pieces = pieces
    this.signal = AbortSignal.any([deadline, this.#ended.signal])
  }

  /** Why it was ended before its deadline, if it was. */
  get refusal(): RefusedOutcome | undefined {
    return this.#ended.signal.aborted ? createRefusal('quota_reached', UNREAD) : undefined
  }

  get unreadMs(): number {
    return this.#unreadSince === undefined ? 0 : performance.now() - this.#unreadSince
  }

  end(): void {
    this.#unreadSince = undefined
    this.#ended.abort()
  }

  /**
   * The pieces of a file. All downloads of a host pass one in a turn of the event loop, and none while they rest, so that messages go
   * between them. An instance that has used its bytes goes on as slowly as it gets new ones: what its caller has of the file is not lost.
   */
  async *passPieces(file: Readable): AsyncGenerator<Uint8Array, void> {
    let waitMs = 0
    for await (const piece of file as AsyncIterable<Uint8Array>) {
      if (waitMs > 0) await wait(waitMs, undefined, { signal: this.signal })
      const place = await this.#pieces.takeTurn(this.instance, this.signal)
      const beganAt = performance.now()
      await waitForLoop()
      restAfterTurn(place, beganAt)
      waitMs = this.#turn.charge(piece.length)
      yield piece
    }
  }

  /** The same pieces, for a caller at the other end: how long it takes nothing is looked at while others wait. */
  async *watchReader(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const piece of pieces) {
      this.#unreadSince = performance.now()
      yield piece
      this.#unreadSince = undefined
    }
  }
}

/** Gives the place to the next piece when this one was passed on, and as much time again has gone by. */
function restAfterTurn(place: Turn, beganAt: number): void {
  setImmediate(() => {
    const tookMs = performance.now() - beganAt
    if (tookMs > SHORT_TURN) setTimeout(() => place.end(), Math.min(tookMs, MAX_REST))
    else place.end()
  })
}
