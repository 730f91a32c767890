// All sessions of this host: found or created for an act, connected while the lease runs, closed when it is over.

import { setTimeout as wait } from 'node:timers/promises'
import type { Status } from '../../shared/contract/instance-requests.ts'
import { SECOND } from '../../shared/date-time.ts'
import type { Assignment } from '../../shared/wire/link-frames.ts'
import { createKeyedMutex } from '../mutex.ts'
import { claimSession, listHeldSessions } from '../store/session-store.ts'
import { Session } from './host-session.ts'
import type { SessionDeps } from './session-deps.ts'

/** Sessions that are connected at once, and the longest wait between two such waves. */
const WAVE_SIZE = 20
const MAX_WAVE_WAIT_MS = SECOND / 2

interface YieldedSession {
  instance: string
  epoch: number
}

export interface YieldOptions {
  /** Resolves when no act of the instance runs, or when the time to wait for it is over. */
  waitForActs(instance: string): Promise<void>
  onYielded(some: YieldedSession[]): void
}

export interface Sessions {
  findSession(instance: string): Session | undefined
  /** The session of an assignment: created if it is new, taken over if its epoch is newer; undefined if ours is newer. */
  assignSession(assignment: Assignment): Promise<Session | undefined>
  /** Whether this session may take a slot. */
  hasSlotFor(session: Session): boolean
  listSessions(): { instance: string; epoch: number; status: Status }[]
  /** Called when the lease was granted: resumes all sessions, the wanted ones in waves. */
  resumeAll(): Promise<void>
  /** Takes the sessions that the edge assigned to this host, all of them wanted. */
  assignSessions(assignments: Assignment[]): Promise<void>
  /** Called when the lease is over: closes everything at once, and writes nothing. */
  suspendAll(): Promise<void>
  /** Closes sessions in waves, so that other hosts take them over. No act finds them until they are held again. */
  yieldSessions(instances: string[], terms: YieldOptions): Promise<void>
  /** Closes sessions that another host holds now. */
  releaseSessions(instances: string[]): Promise<void>
  /** Closes sessions that were deleted while this host was away, and forgets everything of them. */
  eraseSessions(instances: string[]): Promise<void>
  removeSession(instance: string): void
  stopAll(): Promise<void>
}

export async function createSessions(deps: SessionDeps, slots: number): Promise<Sessions> {
  const { store, lease, log } = deps
  const sessions = new Map<string, Session>()
  /** Given up; another host may hold them already. */
  const yielded = new Set<string>()
  const runExclusively = createKeyedMutex()
  for (const row of await listHeldSessions(store)) addSession(new Session(deps, row))
  store.onTakenOver((instance) => void releaseSessions([instance]))

  function addSession(session: Session): Session {
    sessions.set(session.instance, session)
    yielded.delete(session.instance)
    store.setEpoch(session.instance, session.state.row.epoch)
    return session
  }

  function removeSession(instance: string): void {
    sessions.delete(instance)
    yielded.delete(instance)
    store.stopWriting(instance)
  }

  const logFailure = (work: Promise<void>, instance: string, what: string) =>
    work.catch((error) => log.error({ instance, err: error }, `the session was not ${what}`))

  async function runInWaves<Item>(items: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    for (let at = 0; at < items.length && lease.runs; at += WAVE_SIZE) {
      if (at > 0) await wait(Math.random() * MAX_WAVE_WAIT_MS)
      await Promise.all(items.slice(at, at + WAVE_SIZE).map(work))
    }
  }

  async function loadAssigned(assignment: Assignment): Promise<Session | undefined> {
    const { instance, epoch } = assignment
    const known = sessions.get(instance)
    const ownEpoch = known?.state.row.epoch ?? 0
    if (epoch < ownEpoch) return
    if (known && epoch === ownEpoch) return yielded.has(instance) ? undefined : known
    // Another host may have held it since, so our memory of it may differ from the store.
    if (known) await known.suspend()
    const row = await claimSession(store, assignment)
    if (!row) return void removeSession(instance)
    const session = addSession(new Session(deps, row))
    await deps.loadTrackedActs(instance)
    deps.outbox.sendStored()
    await session.resume()
    return session
  }

  const assignSession = (assignment: Assignment) =>
    runExclusively(assignment.instance, () => loadAssigned(assignment))

  /** Ends sessions, each in turn with other changes of its holder. */
  async function endSessions(instances: string[], how: string, ending: (session: Session) => Promise<void>) {
    const ended = instances.map((instance) =>
      runExclusively(instance, async () => {
        const session = sessions.get(instance)
        if (!session) return
        log.info({ instance }, `${how}: it belongs to this host no longer`)
        await logFailure(ending(session), instance, how)
        removeSession(instance)
      }),
    )
    await Promise.all(ended)
  }

  // No other host reads our own store, so the rows can go; but only this host can still report the events in it.
  const releaseSessions = (instances: string[]) =>
    endSessions(instances, 'released', (session) =>
      store.shared ? session.suspend() : session.release('events'),
    )

  /** Undoes `giveUp`. */
  function reclaimSession(instance: string): void {
    const session = sessions.get(instance)
    if (session && yielded.has(instance)) addSession(session)
  }

  async function yieldSession(
    session: Session,
    onYielded: (yieldedSession: YieldedSession) => void,
  ): Promise<void> {
    const { instance } = session
    // While we waited for its acts, it may have been released or replaced by a new session.
    if (sessions.get(instance) !== session) return
    yielded.add(instance)
    try {
      await session.stop()
      // It was taken back meanwhile, and is resumed after this.
      if (!yielded.has(instance)) return
      store.stopWriting(instance)
      onYielded({ instance, epoch: session.state.row.epoch })
    } catch (error) {
      reclaimSession(instance)
      await session.resume()
      throw error
    }
  }

  return {
    findSession: (instance) => sessions.get(instance),
    assignSession,
    hasSlotFor(session) {
      if (session.active) return true
      return [...sessions.values()].filter(({ active }) => active).length < slots
    },
    listSessions: () =>
      [...sessions.values()].map(({ instance, state }) => ({
        instance,
        epoch: state.row.epoch,
        status: state.now.status,
      })),
    async resumeAll() {
      for (const instance of [...yielded]) reclaimSession(instance)
      const all = [...sessions.values()]
      const [wanted, idle] = [true, false].map((is) => all.filter(({ state }) => state.row.wanted === is))
      await Promise.all(
        (idle ?? []).map((session) => logFailure(session.resume(), session.instance, 'resumed')),
      )
      await runInWaves(wanted ?? [], (session) =>
        logFailure(session.resume(), session.instance, 'brought back'),
      )
    },
    async assignSessions(assignments) {
      await runInWaves(assignments, async (assignment) => {
        const { instance, epoch } = assignment
        if (sessions.get(instance)?.state.row.epoch === epoch) reclaimSession(instance)
        const work = assignSession(assignment).then(async (session) => {
          await session?.resume()
          if (session?.state.row.rev === 0) await session.reportMissingStore()
        })
        await logFailure(work, instance, 'taken over')
      })
    },
    async suspendAll() {
      const all = [...sessions.values()]
      await Promise.all(all.map((session) => logFailure(session.suspend(), session.instance, 'suspended')))
    },
    async yieldSessions(instances, { waitForActs, onYielded }) {
      await runInWaves(instances, async (instance) => {
        const session = sessions.get(instance)
        if (!session) return
        const yielding = waitForActs(instance).then(() =>
          runExclusively(instance, () =>
            yieldSession(session, (yieldedSession) => onYielded([yieldedSession])),
          ),
        )
        await logFailure(yielding, instance, 'given up')
      })
    },
    releaseSessions,
    eraseSessions: (instances) => endSessions(instances, 'erased', (session) => session.release()),
    removeSession,
    async stopAll() {
      const all = [...sessions.values()]
      await Promise.all(all.map((session) => logFailure(session.stop(), session.instance, 'stopped')))
    },
  }
}
