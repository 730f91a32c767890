// All sessions of this host: found or made for an act, brought up while the lease runs, put away when it is over.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import type { Status } from '../../shared/contract/instance.ts'
import type { Assignment } from '../../shared/wire/frames.ts'
import { makeKeyedMutex } from '../mutex.ts'
import { claimSession, heldSessions } from '../store/sessions.ts'
import type { SessionDeps } from './deps.ts'
import { Session } from './session.ts'

/** Sessions brought up at once, and the longest that a wave waits for the next. */
const WAVE = 20
const WAVE_MS = SECOND / 2

interface Yielded {
  instance: string
  epoch: number
}

export interface HandOver {
  /** Resolves when nothing of the instance is under way, or not worth waiting for. */
  quiet(instance: string): Promise<void>
  yielded(some: Yielded[]): void
}

export interface Sessions {
  find(instance: string): Session | undefined
  /** The session of an assignment: made when it is new, taken over when it is newer; undefined when ours is newer. */
  assigned(assignment: Assignment): Promise<Session | undefined>
  /** Whether this session may take a slot. */
  hasSlotFor(session: Session): boolean
  all(): { instance: string; epoch: number; status: Status }[]
  /** The lease has been granted: brings up, in waves, what is ours. */
  resume(): Promise<void>
  /** These are ours, says the edge, and wanted. */
  hold(assignments: Assignment[]): Promise<void>
  /** The lease is over: everything is closed at once, and nothing written. */
  suspend(): Promise<void>
  /** Closed for somebody else to take over, in waves. From here on no act finds them, until they are held again. */
  giveUp(instances: string[], terms: HandOver): Promise<void>
  /** Another host's now: closed. */
  release(instances: string[]): Promise<void>
  /** Deleted while we were away: closed, and nothing kept of them. */
  erase(instances: string[]): Promise<void>
  forget(instance: string): void
  stop(): Promise<void>
}

export async function makeSessions(deps: SessionDeps, slots: number): Promise<Sessions> {
  const { store, lease, log } = deps
  const sessions = new Map<string, Session>()
  /** Given up, and perhaps another host's already. */
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
    // Another host may have had it since: what is remembered of it is not what the store knows.
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

  /** One after the other with whatever else changes whose it is. */
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

  // In a store of our own nobody will ever ask for what is left of it, and nobody else can tell what the network told us.
  const release = (instances: string[]) =>
    end(instances, 'released', (session) => (store.shared ? session.suspend() : session.release('events')))

  /** Again ours, as far as it was given up. */
  function takeBack(instance: string): void {
    const session = sessions.get(instance)
    if (session && yielded.has(instance)) add(session)
  }

  async function giveAway(session: Session, handedOver: (given: Yielded) => void): Promise<void> {
    const { instance } = session
    // Until those that use it had ended it may have been released, or have come back.
    if (sessions.get(instance) !== session) return
    yielded.add(instance)
    try {
      await session.stop()
      // Taken back meanwhile, it is brought up again behind this.
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
