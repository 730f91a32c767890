// The link to the edge: dialled, kept up, and every frame on it put where it belongs.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import { type EdgeFrame, type HostFrame, WIRE } from '../../shared/wire/frames.ts'
import type { Acts } from '../actions/acts.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbox } from '../outbox.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type Pulse, startPulse } from './pulse.ts'
import { dial, type Wire } from './wire.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5 * SECOND

export interface Link {
  /** The edge has said welcome and is heard. */
  readonly up: boolean
  /** Resolves when the outbox is empty, the link is down, or the time is over. */
  drain(withinMs: number): Promise<void>
  close(): void
}

interface Parts {
  url: string
  token: string
  slots: number
  boot: string
  acts: Acts
  sessions: Sessions
  outbox: Outbox
  metrics: Metrics
  log: Log
}

export function openLink(parts: Parts): Link {
  const { acts, sessions, outbox, metrics, log } = parts
  let wire: Wire | undefined
  let up = false
  let closed = false
  let failures = 0
  let redial: NodeJS.Timeout | undefined

  const failed = (thrown: unknown) => log.error({ err: thrown }, 'a frame could not be dealt with')

  function connect(): void {
    const mine = dial(parts.url, parts.token, {
      opened: () =>
        mine.send({ t: 'hello', wire: WIRE, boot: parts.boot, slots: parts.slots, sessions: sessions.all() }),
      frame(frame) {
        pulse.heard()
        receive(frame).catch(failed)
      },
      closed(why) {
        clearInterval(heart)
        pulse.stop()
        outbox.close()
        const wasUp = up
        up = false
        if (closed) return
        log.warn({ why, wasUp }, 'the link is down')
        const limit = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
        redial = setTimeout(connect, limit / 2 + (Math.random() * limit) / 2)
      },
    })
    wire = mine
    const pulse: Pulse = startPulse(() => mine.drop('the edge was not heard of'))
    let heart: NodeJS.Timeout | undefined
    let beats = 0
    let beaten = 0
    /** The first beat since the process stood still: its answer proves that nothing older is left unread. */
    let firstAfterThaw = Number.POSITIVE_INFINITY

    /** Slots in use, as the edge was last told. */
    let told = 0
    const running = () => sessions.all().filter(({ status }) => status !== 'disconnected').length

    async function beat(): Promise<void> {
      beats += 1
      if (pulse.late() > 0) firstAfterThaw = Math.min(firstAfterThaw, beats)
      told = running()
      mine.send({ t: 'beat', sessions: told, lag: metrics.lag(), outbox: await outbox.depth() })
    }

    /** An outcome that freed a slot follows the news of it: whoever reads the outcome may ask for the slot at once. */
    function answer(frame: HostFrame): void {
      const freed = frame.t === 'outcome' && running() < told
      const news = freed ? beat().catch(failed) : undefined
      if (news) news.finally(() => wire?.send(frame))
      else wire?.send(frame)
    }

    async function receive(frame: EdgeFrame): Promise<void> {
      switch (frame.t) {
        case 'welcome':
          up = true
          failures = 0
          log.info({ host: frame.host }, 'the link is up')
          heart = setInterval(() => beat().catch(failed), frame.heartbeatMs)
          await acts.tellAll(mine.send)
          await sessions.release(frame.release)
          // Closing what was released takes its time: this link may be gone by now.
          if (wire === mine && up) outbox.open((items) => mine.send({ t: 'events', items }), frame.credit)
          return
        case 'beaten':
          beaten += 1
          if (beaten < firstAfterThaw) return
          firstAfterThaw = Number.POSITIVE_INFINITY
          return pulse.caughtUp()
        case 'act':
          told = Math.max(told, running())
          return acts.take(frame, pulse.late(), answer)
        case 'what':
          return acts.tell(frame.id, mine.send)
        case 'seen':
          return acts.seen([frame.id])
        case 'ack':
          return outbox.acknowledge(frame.upTo)
        default:
          return frame satisfies never
      }
    }
  }

  connect()
  return {
    get up() {
      return up
    },
    async drain(withinMs) {
      const until = performance.now() + withinMs
      while (up && performance.now() < until && (await outbox.depth()) > 0) await wait(20)
    },
    close() {
      closed = true
      clearTimeout(redial)
      wire?.close()
    },
  }
}
