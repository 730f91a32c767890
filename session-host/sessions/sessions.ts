// All sessions of this host: found or made for an act, brought back at the start, released and stopped.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import type { Status } from '../../shared/contract/instance.ts'
import { allSessions, keepSession, type SessionRow } from '../store/sessions.ts'
import { Session, type SessionParts } from './session.ts'

/** Sessions brought back at once, and the longest that a wave waits for the next. */
const WAVE = 20
const WAVE_MS = SECOND / 2

export interface Sessions {
  find(instance: string): Session | undefined
  /** The session of an assignment: made when it is new, adopted when it is newer; undefined when ours is newer. */
  assigned(instance: string, epoch: number, kind: SessionRow['kind']): Promise<Session | undefined>
  /** Whether this session may take a slot. */
  roomFor(session: Session): boolean
  all(): { instance: string; epoch: number; status: Status }[]
  /** Brings back, in waves, the sessions that were wanted when the process ended. */
  restore(stopping: AbortSignal): Promise<void>
  /** Closed, and nothing kept of them. */
  release(instances: string[]): Promise<void>
  forget(instance: string): void
  stop(): Promise<void>
}

export async function makeSessions(parts: SessionParts, slots: number): Promise<Sessions> {
  const { store, log } = parts
  const sessions = new Map<string, Session>()
  for (const row of await allSessions(store)) sessions.set(row.instance, new Session(parts, row))

  const attempt = (work: Promise<void>, instance: string, what: string) =>
    work.catch((thrown) => log.error({ instance, err: thrown }, `the session was not ${what}`))

  return {
    find: (instance) => sessions.get(instance),
    async assigned(instance, epoch, kind) {
      const known = sessions.get(instance)
      if (known) {
        const { epoch: ours } = known.state.row
        if (epoch < ours) return
        if (epoch > ours) await known.adopt(epoch)
        return known
      }
      const row = newRow(instance, epoch, kind)
      const session = new Session(parts, row)
      sessions.set(instance, session)
      await store.commit([keepSession(store, row)])
      return session
    },
    roomFor(session) {
      if (session.active) return true
      return [...sessions.values()].filter(({ active }) => active).length < slots
    },
    all: () =>
      [...sessions.values()].map(({ instance, state }) => ({
        instance,
        epoch: state.row.epoch,
        status: state.now.status,
      })),
    async restore(stopping) {
      const wanted = [...sessions.values()].filter(({ state }) => state.row.wanted)
      for (let at = 0; at < wanted.length && !stopping.aborted; at += WAVE) {
        if (at > 0) await wait(Math.random() * WAVE_MS)
        const wave = wanted.slice(at, at + WAVE)
        await Promise.all(wave.map((session) => attempt(session.restore(), session.instance, 'brought back')))
      }
    },
    async release(instances) {
      const released = instances.map(async (instance) => {
        const session = sessions.get(instance)
        if (!session) return
        sessions.delete(instance)
        log.info({ instance }, 'released: it belongs to this host no longer')
        await attempt(session.release(), instance, 'released')
      })
      await Promise.all(released)
    },
    forget: (instance) => void sessions.delete(instance),
    async stop() {
      const stopped = [...sessions.values()].map((session) =>
        attempt(session.stop(), session.instance, 'stopped'),
      )
      await Promise.all(stopped)
    },
  }
}

const newRow = (instance: string, epoch: number, kind: SessionRow['kind']): SessionRow => ({
  instance,
  kind,
  epoch,
  rev: 0,
  wanted: false,
  status: 'disconnected',
  jid: '',
  lid: '',
  profileName: '',
  lastDisconnect: 0,
  lastDisconnectReason: '',
})
