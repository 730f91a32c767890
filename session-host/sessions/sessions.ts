// All sessions of this host: found or created for an act, connected while the lease runs, closed when it is over.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import type { Status } from '../../shared/contract/instance.ts'
import type { Assignment } from '../../shared/wire/frames.ts'
import { makeKeyedMutex } from '../mutex.ts'
import { claimSession, heldSessions } from '../store/sessions.ts'
import type { SessionDeps } from './deps.ts'
import { Session } from './session.ts'

/** Sessions that are connected at once, and the longest wait between two such waves. */
const WAVE = 20
const WAVE_MS = SECOND / 2

interface Yielded {
  instance: string
  epoch: number
}

export interface HandOver {
  /** Resolves when no act of the instance runs, or when the time to wait for it is over. */
  quiet(instance: string): Promise<void>
  yielded(some: Yielded[]): void
}

export interface Sessions {
  find(instance: string): Session | undefined
  /** The session of an assignment: created if it is new, taken over if its epoch is newer; undefined if ours is newer. */
  assigned(assignment: Assignment): Promise<Session | undefined>
  /** Whether this session may take a slot. */
  hasSlotFor(session: Session): boolean
  all(): { instance: string; epoch: number; status: Status }[]
  /** Called when the lease was granted: resumes all sessions, the wanted ones in waves. */
  resume(): Promise<void>
  /** Takes the sessions that the edge assigned to this host, all of them wanted. */
  hold(assignments: Assignment[]): Promise<void>
  /** Called when the lease is over: closes everything at once, and writes nothing. */
  suspend(): Promise<void>
  /** Closes sessions in waves, so that other hosts take them over. No act finds them until they are held again. */
  giveUp(instances: string[], terms: HandOver): Promise<void>
  /** Closes sessions that another host holds now. */
  release(instances: string[]): Promise<void>
  /** Closes sessions that were deleted while this host was away, and forgets everything of them. */
  erase(instances: string[]): Promise<void>
  forget(instance: string): void
  stop(): Promise<void>
}

export async function makeSessions(deps: SessionDeps, slots: number): Promise<Sessions> {
  const { store, lease, log } = deps
  const sessions = new Map<string, Session>()
  /** Given up; another host may hold them already. */
  const yielded = new Set<string>()
  const exclusively = makeKeyedMutex()
  for (const row of await heldSessions(store)) add(new Session(deps, row))
  store.onLost((instance) => void release([instance]))

  function add(session: Session): Session {
    sessions.set(session.instance, session)
    yielded.delete(session.instance)
    store.writeUnder(session.instance, session.state.row.epoch)
    return session
  }

  function forget(instance: string): void {
    sessions.delete(instance)
    yielded.delete(instance)
    store.stopWriting(instance)
  }

  const logFailure = (work: Promise<void>, instance: string, what: string) =>
    work.catch((thrown) => log.error({ instance, err: thrown }, `the session was not ${what}`))

  async function inWaves<Item>(items: Item[], of: (item: Item) => Promise<unknown>): Promise<void> {
    for (let at = 0; at < items.length && lease.runs; at += WAVE) {
      if (at > 0) await wait(Math.random() * WAVE_MS)
      await Promise.all(items.slice(at, at + WAVE).map(of))
    }
  }

  async function claim(assignment: Assignment): Promise<Session | undefined> {
    const { instance, epoch } = assignment
    const known = sessions.get(instance)
    const ours = known?.state.row.epoch ?? 0
    if (epoch < ours) return
    if (known && epoch === ours) return yielded.has(instance) ? undefined : known
    // Another host may have held it since, so our memory of it may differ from the store.
    if (known) await known.suspend()
    const row = await claimSession(store, assignment)
    if (!row) return void forget(instance)
    const session = add(new Session(deps, row))
    await deps.inherit(instance)
    deps.outbox.kick()
    await session.resume()
    return session
  }

  const assigned = (assignment: Assignment) => exclusively(assignment.instance, () => claim(assignment))

  /** Ends sessions, each in turn with other changes of its holder. */
  async function end(instances: string[], how: string, ending: (session: Session) => Promise<void>) {
    const ended = instances.map((instance) =>
      exclusively(instance, async () => {
        const session = sessions.get(instance)
        if (!session) return
        log.info({ instance }, `${how}: it belongs to this host no longer`)
        await logFailure(ending(session), instance, how)
        forget(instance)
      }),
    )
    await Promise.all(ended)
  }

  // No other host reads our own store, so the rows can go; but only this host can still report the events in it.
  const release = (instances: string[]) =>
    end(instances, 'released', (session) => (store.shared ? session.suspend() : session.release('events')))

  /** Undoes `giveUp`. */
  function takeBack(instance: string): void {
    const session = sessions.get(instance)
    if (session && yielded.has(instance)) add(session)
  }

  async function giveAway(session: Session, handedOver: (given: Yielded) => void): Promise<void> {
    const { instance } = session
    // While we waited for its acts, it may have been released or replaced by a new session.
    if (sessions.get(instance) !== session) return
    yielded.add(instance)
    try {
      await session.stop()
      // It was taken back meanwhile, and is resumed after this.
      if (!yielded.has(instance)) return
      store.stopWriting(instance)
      handedOver({ instance, epoch: session.state.row.epoch })
    } catch (thrown) {
      takeBack(instance)
      await session.resume()
      throw thrown
    }
  }

  return {
    find: (instance) => sessions.get(instance),
    assigned,
    hasSlotFor(session) {
      if (session.active) return true
      return [...sessions.values()].filter(({ active }) => active).length < slots
    },
    all: () =>
      [...sessions.values()].map(({ instance, state }) => ({
        instance,
        epoch: state.row.epoch,
        status: state.now.status,
      })),
    async resume() {
      for (const instance of [...yielded]) takeBack(instance)
      const all = [...sessions.values()]
      const [wanted, idle] = [true, false].map((is) => all.filter(({ state }) => state.row.wanted === is))
      await Promise.all(
        (idle ?? []).map((session) => logFailure(session.resume(), session.instance, 'resumed')),
      )
      await inWaves(wanted ?? [], (session) => logFailure(session.resume(), session.instance, 'brought back'))
    },
    async hold(assignments) {
      await inWaves(assignments, async (assignment) => {
        const { instance, epoch } = assignment
        if (sessions.get(instance)?.state.row.epoch === epoch) takeBack(instance)
        const work = assigned(assignment).then(async (session) => {
          await session?.resume()
          if (session?.state.row.rev === 0) await session.foundNothing()
        })
        await logFailure(work, instance, 'taken over')
      })
    },
    async suspend() {
      const all = [...sessions.values()]
      await Promise.all(all.map((session) => logFailure(session.suspend(), session.instance, 'suspended')))
    },
    async giveUp(instances, { quiet, yielded: handedOver }) {
      await inWaves(instances, async (instance) => {
        const session = sessions.get(instance)
        if (!session) return
        const kept = quiet(instance).then(() =>
          exclusively(instance, () => giveAway(session, (given) => handedOver([given]))),
        )
        await logFailure(kept, instance, 'given up')
      })
    },
    release,
    erase: (instances) => end(instances, 'erased', (session) => session.release()),
    forget,
    async stop() {
      const all = [...sessions.values()]
      await Promise.all(all.map((session) => logFailure(session.stop(), session.instance, 'stopped')))
    },
  }
}
