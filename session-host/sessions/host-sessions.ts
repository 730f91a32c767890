// All sessions of this host: found or created for an act, connected while the lease runs, closed when it is over.

import { setTimeout as wait } from 'node:timers/promises'
import type { Status } from '@msgnet/shared/contract/instance-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Assignment } from '@msgnet/shared/wire/link-frames.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import { createKeyedMutex } from '../process/mutex.ts'
import { findStoreFault } from '../process/store-fault.ts'
import { FencedError } from '../store/fenced-store.ts'
import { claimSession, listHeldSessions, type SessionRow } from '../store/session-store.ts'
import { Session } from './host-session.ts'
import { computeStoreBackoffMs } from './reconnect-policy.ts'
import type { SessionDeps } from './session-deps.ts'

/** Sessions that are connected at once, and the longest wait between two such waves. */
const WAVE_SIZE = 20
const MAX_WAVE_WAIT_MS = SECOND / 2

interface YieldedSession {
  instance: string
  epoch: number
}

/** Work that nobody asks for a second time: where the store fails, it is tried again for as long as it is wanted. */
interface LastingWork {
  instance: string
  failure: string
  isWanted(): boolean
  run(): Promise<void>
}

export interface YieldOptions {
  /** Resolves when no act of the instance runs, or when the time to wait for it is over. */
  waitForActs(instance: string): Promise<void>
  onYielded(some: YieldedSession[]): void
}

export class Sessions {
  readonly #deps: SessionDeps
  readonly #slots: number
  readonly #sessions = new Map<string, Session>()
  /** Yielded; another host may hold them already. */
  readonly #yielded = new Set<string>()
  /** What the edge has assigned to this host and what is not taken yet, by instance. */
  readonly #untaken = new Map<string, Assignment>()
  /** Those that are being connected or restarted, once for each caller: each takes a slot until its socket is open. */
  readonly #opening: Session[] = []
  #isStopping = false
  readonly #runExclusively = createKeyedMutex()

  private constructor(deps: SessionDeps, slots: number, rows: SessionRow[]) {
    this.#deps = deps
    this.#slots = slots
    for (const row of rows) this.#add(this.#createSession(row))
    deps.store.onTakenOver((instance) => void this.releaseSessions([instance]))
  }

  static async open(deps: SessionDeps, slots: number): Promise<Sessions> {
    return new Sessions(deps, slots, await listHeldSessions(deps.store))
  }

  findSession(instance: string): Session | undefined {
    return this.#sessions.get(instance)
  }

  /** The session of an assignment: created if it is new, taken over if its epoch is newer; undefined if ours is newer. */
  assignSession(assignment: Assignment): Promise<Session | undefined> {
    return this.#runExclusively(assignment.instance, () => this.#loadAssigned(assignment))
  }

  #createSession(row: SessionRow): Session {
    const session: Session = new Session(this.#deps, row, (open) => this.#runInSlot(session, open))
    return session
  }

  async #runInSlot<Result>(session: Session, open: () => Promise<Result>): Promise<Result | RefusedOutcome> {
    const takesSlot = (one: Session) => one.active || this.#opening.includes(one)
    const taken = [...this.#sessions.values()].filter(takesSlot).length
    if (!takesSlot(session) && taken >= this.#slots) return createRefusal('worker_full')
    this.#opening.push(session)
    return open().finally(() => this.#opening.splice(this.#opening.indexOf(session), 1))
  }

  listSessions(): { instance: string; epoch: number; status: Status }[] {
    return [...this.#sessions.values()].map(({ instance, state }) => ({
      instance,
      epoch: state.row.epoch,
      status: state.now.status,
    }))
  }

  /** In memory, for all sessions that are up; returns their instances. */
  moveCoverage(): string[] {
    const moving = [...this.#sessions.values()].filter(({ state }) => state.row.coverage?.isMoving)
    for (const { state } of moving) state.moveCoverage({ isMoving: true })
    return moving.map(({ instance }) => instance)
  }

  /** Called when the lease was granted: resumes all sessions, the wanted ones in waves. */
  async resumeAll(): Promise<void> {
    for (const instance of [...this.#yielded]) this.#reclaim(instance)
    const all = [...this.#sessions.values()]
    const { wanted = [], idle = [] } = Object.groupBy(all, ({ state }) =>
      state.row.wanted ? 'wanted' : 'idle',
    )
    const resume = (session: Session) => this.#resume(session)
    await Promise.all(idle.map(resume))
    await this.#runInWaves(wanted, resume)
  }

  /** Takes the sessions that the edge assigned to this host, all of them wanted. */
  async assignSessions(assignments: Assignment[]): Promise<void> {
    for (const assignment of assignments) this.#untaken.set(assignment.instance, assignment)
    await this.#runInWaves(assignments, (assignment) => {
      const { instance } = assignment
      const isWanted = () => this.#untaken.get(instance) === assignment
      const run = async () => {
        await this.#takeOver(assignment)
        if (isWanted()) this.#untaken.delete(instance)
      }
      return this.#persist({ instance, failure: 'failed to take over session', isWanted, run })
    })
  }

  /** Called when the lease is over: closes everything at once, and writes nothing. */
  async suspendAll(): Promise<void> {
    // With the next lease the edge assigns them again.
    this.#untaken.clear()
    await this.#runForAll((session) => session.suspend(), 'failed to suspend session')
  }

  /** Closes sessions in waves, so that other hosts take them over. No act finds them until they are assigned again. */
  async yieldSessions(instances: string[], { waitForActs, onYielded }: YieldOptions): Promise<void> {
    for (const instance of instances) this.#untaken.delete(instance)
    await this.#runInWaves(instances, async (instance) => {
      const session = this.#sessions.get(instance)
      if (!session) return
      const work = waitForActs(instance).then(() =>
        this.#runExclusively(instance, () => this.#yieldSession(session, onYielded)),
      )
      await this.#logFailure(work, instance, 'failed to yield session')
    })
  }

  /**
   * Closes sessions that another host holds now. No other host reads our own store, so the rows can go; but only this host can
   * still report the events in it.
   */
  async releaseSessions(instances: string[]): Promise<void> {
    const { shared } = this.#deps.store
    await this.#endSessions(instances, 'release', (session) =>
      shared ? session.suspend() : session.release('events'),
    )
  }

  /** Closes sessions that were deleted while this host was away, and deletes everything of them. */
  async eraseSessions(instances: string[]): Promise<void> {
    await this.#endSessions(instances, 'erase', (session) => session.release())
  }

  /** Of each part of a history that no webhook gets, the id of its report. */
  noteUnwantedHistory(parts: { instance: string; id: string }[]): void {
    for (const { instance, id } of parts) this.#sessions.get(instance)?.history.noteUnwanted([id])
  }

  removeSession(instance: string): void {
    this.#sessions.delete(instance)
    this.#yielded.delete(instance)
    this.#deps.store.stopWriting(instance)
  }

  async stopAll(): Promise<void> {
    this.#isStopping = true
    await this.#runForAll((session) => session.stop(), 'failed to stop session')
  }

  #add(session: Session): Session {
    this.#sessions.set(session.instance, session)
    this.#yielded.delete(session.instance)
    this.#deps.store.setEpoch(session.instance, session.state.row.epoch)
    return session
  }

  async #loadAssigned(assignment: Assignment): Promise<Session | undefined> {
    const { store, outbox, scheduled, loadTrackedActs } = this.#deps
    const { instance, epoch } = assignment
    // Asked of the edge before the instance was deleted here.
    if (store.hasDeleted(instance, epoch)) throw new FencedError(instance, 'deleted')
    const known = this.#sessions.get(instance)
    const ownEpoch = known?.state.row.epoch ?? 0
    if (epoch < ownEpoch) return
    if (known && epoch === ownEpoch) return this.#yielded.has(instance) ? undefined : known
    // Another host may have held it since, so our memory of it may differ from the store.
    if (known) await known.suspend()
    const row = await claimSession(store, assignment)
    if (!row) return void this.removeSession(instance)
    await loadTrackedActs(instance)
    const session = this.#add(this.#createSession(row))
    outbox.sendStored()
    scheduled.announceChange()
    await this.#resume(session)
    return session
  }

  async #takeOver(assignment: Assignment): Promise<void> {
    const { instance, epoch } = assignment
    const known = this.#sessions.get(instance)
    if (known?.state.row.epoch === epoch) this.#reclaim(instance)
    const session = await this.assignSession(assignment)
    // A new one was resumed with its assignment.
    if (session && session === known) await this.#resume(session)
    if (session?.state.row.rev === 0) await session.reportMissingStore()
  }

  #resume(session: Session): Promise<void> {
    const { instance } = session
    const isWanted = () => this.#sessions.get(instance) === session && !this.#yielded.has(instance)
    const run = () => session.resume()
    return this.#persist({ instance, failure: 'failed to resume session', isWanted, run })
  }

  /** Resolves after the first attempt. */
  async #persist(work: LastingWork, failures = 0): Promise<void> {
    if (!work.isWanted()) return
    try {
      await work.run()
    } catch (error) {
      const { lease, clock, log } = this.#deps
      log.error({ instance: work.instance, error }, work.failure)
      if (!findStoreFault(error)) return
      clock.runAfter(computeStoreBackoffMs(failures), () => {
        // The next lease brings all sessions back.
        if (lease.runs && !this.#isStopping) void this.#persist(work, failures + 1)
      })
    }
  }

  /** Ends sessions, each in turn with other changes of its holder. */
  async #endSessions(
    instances: string[],
    how: 'release' | 'erase',
    end: (session: Session) => Promise<void>,
  ): Promise<void> {
    for (const instance of instances) this.#untaken.delete(instance)
    const ended = instances.map((instance) =>
      this.#runExclusively(instance, async () => {
        const session = this.#sessions.get(instance)
        if (!session) return
        this.#deps.log.info({ instance }, `session ${how}d: this host does not hold it any more`)
        await this.#logFailure(end(session), instance, `failed to ${how} session`)
        this.removeSession(instance)
      }),
    )
    await Promise.all(ended)
  }

  /** Undoes `yieldSessions`. */
  #reclaim(instance: string): void {
    const session = this.#sessions.get(instance)
    if (session && this.#yielded.has(instance)) this.#add(session)
  }

  async #yieldSession(session: Session, onYielded: YieldOptions['onYielded']): Promise<void> {
    const { instance } = session
    // While we waited for its acts, it may have been released or replaced by a new session.
    if (this.#sessions.get(instance) !== session) return
    this.#yielded.add(instance)
    try {
      await session.stop()
      // It was reclaimed meanwhile, and is resumed after this.
      if (!this.#yielded.has(instance)) return
      this.#deps.store.stopWriting(instance)
      onYielded([{ instance, epoch: session.state.row.epoch }])
    } catch (error) {
      this.#reclaim(instance)
      await this.#resume(session)
      throw error
    }
  }

  async #runForAll(work: (session: Session) => Promise<void>, failure: string): Promise<void> {
    const all = [...this.#sessions.values()]
    await Promise.all(all.map((session) => this.#logFailure(work(session), session.instance, failure)))
  }

  async #runInWaves<Item>(items: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    for (let at = 0; at < items.length && this.#deps.lease.runs; at += WAVE_SIZE) {
      if (at > 0) await wait(Math.random() * MAX_WAVE_WAIT_MS)
      await Promise.all(items.slice(at, at + WAVE_SIZE).map(work))
    }
  }

  #logFailure(work: Promise<void>, instance: string, failure: string): Promise<void> {
    return work.catch((error) => this.#deps.log.error({ instance, error }, failure))
  }
}
