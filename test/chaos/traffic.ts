// What goes on while parts are killed: people write to every device, and callers send with keys. All of it is put on record.

import { setTimeout as wait } from 'node:timers/promises'
import type { ApiResponse } from '../caller.ts'
import { createPhone, type LinkedDevice } from '../device.ts'
import type { World } from '../world.ts'
import type { Dice } from './dice.ts'

/** Messages to the devices a second, spread over all of them. */
const WRITTEN_A_SECOND = 100
const BURST = 10
/** A key that has not settled by then is stuck. */
const SETTLES_WITHIN_MS = 120_000
const RETRY_AFTER_MS = 250

export interface Send {
  key: string
  text: string
  device: LinkedDevice
  /** `stuck` when the key gave no final answer in time. */
  outcome: 'sent' | 'refused' | 'unknown' | 'stuck'
  startedAt: number
  /** What was answered under the key, in order, for whoever wonders why it is stuck. */
  responses: RecordedResponse[]
}

/** The same answer, so many times in a row. */
interface RecordedResponse {
  description: string
  times: number
  /** When it was heard first, in seconds since the key was first used. */
  from: number
}

/** One request of a caller and what came of it, in milliseconds since the epoch. */
export interface TrafficRequest {
  began: number
  ended: number
  /** `200`, `409 not_connected`, or `no answer`. */
  description: string
}

export interface Traffic {
  /** Message ids that the network took from people, by the device that must get them. */
  readonly written: Map<string, string>
  readonly sends: Send[]
  /** Every request that was made, in the order of the answers. */
  readonly requests: TrafficRequest[]
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
  const friend = await createPhone(world, 'Friend')
  const written = new Map<string, string>()
  const sends: Send[] = []
  const requests: TrafficRequest[] = []
  let going = true
  let made = 0

  async function writeMessages(): Promise<void> {
    while (going) {
      const device = dice.pickItem(devices)
      const message = { from: friend, to: device.number, text: `m${made++}`, count: BURST }
      // A simulator that is being started again takes nothing: what it did not take was never written.
      const taken = await world.sim('POST', '/messages', message).catch(() => undefined)
      for (const id of (taken?.ids ?? []) as string[]) written.set(id, device.id)
      await wait((BURST / rate) * 1000)
    }
  }

  async function sendFromDevice(device: LinkedDevice): Promise<void> {
    while (going) {
      const send: Send = {
        key: `k${made}`,
        text: `s${made++}`,
        device,
        outcome: 'stuck',
        startedAt: 0,
        responses: [],
      }
      sends.push(send)
      await settleSend(send)
      await wait(500 + dice.rollDie(1000))
    }
  }

  async function settleSend(send: Send): Promise<void> {
    const began = Date.now()
    const until = began + SETTLES_WITHIN_MS
    while (Date.now() < until) {
      send.startedAt++
      const requestedAt = Date.now()
      const response = await send.device.caller
        .post('/send/text', { number: friend, text: send.text }, { 'idempotency-key': send.key })
        .catch(() => undefined)
      const description = formatResponse(response)
      requests.push({ began: requestedAt, ended: Date.now(), description })
      recordResponse(send.responses, description, (Date.now() - began) / 1000)
      const verdict = response && findOutcome(response)
      if (verdict) {
        send.outcome = verdict
        return
      }
      await wait(RETRY_AFTER_MS)
    }
  }

  const running = [writeMessages(), writeMessages(), ...devices.map(sendFromDevice)]
  return {
    written,
    sends,
    requests,
    friend,
    async stop() {
      going = false
      await Promise.all(running)
    },
  }
}

const formatResponse = (response: ApiResponse | undefined): string =>
  response ? `${response.status} ${response.body?.error ?? ''}`.trim() : 'no answer'

function recordResponse(responses: RecordedResponse[], description: string, now: number): void {
  const last = responses.at(-1)
  if (last?.description === description) last.times++
  else responses.push({ description: description, times: 1, from: now })
}

/** Undefined for what a caller asks again: nothing had begun, or it is still running. A stored answer is final. */
function findOutcome({ status, headers }: ApiResponse): Send['outcome'] | undefined {
  if (status === 200) return 'sent'
  if (status === 504) return 'unknown'
  return status === 422 || headers.get('idempotency-replayed') === 'true' ? 'refused' : undefined
}
