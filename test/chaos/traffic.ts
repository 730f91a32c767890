// What goes on while parts are killed: people write to every device, and callers send with keys. All of it is put on record.

import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../caller.ts'
import { type LinkedDevice, makePhone } from '../device.ts'
import type { World } from '../world.ts'
import type { Dice } from './dice.ts'

/** Messages to the devices a second, spread over all of them. */
const WRITTEN_A_SECOND = 100
const BURST = 10
/** A key that has not settled by then is stuck. */
const SETTLES_WITHIN_MS = 120_000
const ASK_AGAIN_MS = 250

export interface Send {
  key: string
  text: string
  device: LinkedDevice
  /** `stuck` when the key gave no final answer in time. */
  outcome: 'sent' | 'refused' | 'unknown' | 'stuck'
  asked: number
  /** What was answered under the key, in order, for whoever wonders why it is stuck. */
  heard: Heard[]
}

/** The same answer, so many times in a row. */
interface Heard {
  answer: string
  times: number
  /** When it was heard first, in seconds since the key was first used. */
  from: number
}

/** One request of a caller and what came of it, in milliseconds since the epoch. */
export interface Asked {
  began: number
  ended: number
  /** `200`, `409 not_connected`, or `no answer`. */
  said: string
}

export interface Traffic {
  /** Message ids that the network took from people, by the device that must get them. */
  readonly written: Map<string, string>
  readonly sends: Send[]
  /** Every request that was made, in the order of the answers. */
  readonly asked: Asked[]
  /** The phone that all sends go to. */
  readonly friend: string
  /** Writes and sends no more; resolves when every key has settled. */
  stop(): Promise<void>
}

/** `rate`: messages to the devices a second. */
export async function startTraffic(
  world: World,
  devices: LinkedDevice[],
  dice: Dice,
  rate = WRITTEN_A_SECOND,
): Promise<Traffic> {
  const friend = await makePhone(world, 'Friend')
  const written = new Map<string, string>()
  const sends: Send[] = []
  const asked: Asked[] = []
  let going = true
  let made = 0

  async function write(): Promise<void> {
    while (going) {
      const device = dice.pick(devices)
      const message = { from: friend, to: device.number, text: `m${made++}`, count: BURST }
      // A simulator that is being started again takes nothing: what it did not take was never written.
      const taken = await world.sim('POST', '/messages', message).catch(() => undefined)
      for (const id of (taken?.ids ?? []) as string[]) written.set(id, device.id)
      await wait((BURST / rate) * 1000)
    }
  }

  async function sendFrom(device: LinkedDevice): Promise<void> {
    while (going) {
      const send: Send = {
        key: `k${made}`,
        text: `s${made++}`,
        device,
        outcome: 'stuck',
        asked: 0,
        heard: [],
      }
      sends.push(send)
      await settle(send)
      await wait(500 + dice.roll(1000))
    }
  }

  async function settle(send: Send): Promise<void> {
    const began = Date.now()
    const until = began + SETTLES_WITHIN_MS
    while (Date.now() < until) {
      send.asked++
      const askedAt = Date.now()
      const answer = await send.device.caller
        .post('/send/text', { number: friend, text: send.text }, { 'idempotency-key': send.key })
        .catch(() => undefined)
      const said = saidBy(answer)
      asked.push({ began: askedAt, ended: Date.now(), said })
      remember(send.heard, said, (Date.now() - began) / 1000)
      const verdict = answer && verdictOf(answer)
      if (verdict) {
        send.outcome = verdict
        return
      }
      await wait(ASK_AGAIN_MS)
    }
  }

  const running = [write(), write(), ...devices.map(sendFrom)]
  return {
    written,
    sends,
    asked,
    friend,
    async stop() {
      going = false
      await Promise.all(running)
    },
  }
}

const saidBy = (answer: Answer | undefined): string =>
  answer ? `${answer.status} ${answer.body?.error ?? ''}`.trim() : 'no answer'

function remember(heard: Heard[], said: string, now: number): void {
  const last = heard.at(-1)
  if (last?.answer === said) last.times++
  else heard.push({ answer: said, times: 1, from: now })
}

/** Undefined for what a caller asks again: nothing had begun, or it is still running. A stored answer is final. */
function verdictOf({ status, headers }: Answer): Send['outcome'] | undefined {
  if (status === 200) return 'sent'
  if (status === 504) return 'unknown'
  return status === 422 || headers.get('idempotency-replayed') === 'true' ? 'refused' : undefined
}
