// The traffic while parts are killed: people write to every device, and callers send with keys. All of it is recorded.

import { setTimeout as wait } from 'node:timers/promises'
import type { ApiResponse } from '../caller.ts'
import { createPhone, type LinkedDevice } from '../device.ts'
import type { World } from '../world.ts'
import type { Dice } from './dice.ts'

/** Messages to the devices a second, spread over all of them. */
const WRITTEN_A_SECOND = 100
const BURST = 10
/** One burst in so many has files. */
const FILE_EVERY = 10
const FILE = Buffer.alloc(3000, 7).toString('base64')
/** A key that has not settled by then is stuck. */
const SETTLES_WITHIN_MS = 120_000
const RETRY_AFTER_MS = 250

export interface Send {
  key: string
  text: string
  device: LinkedDevice
  /** `stuck` when the key gave no final answer in time. */
  outcome: 'sent' | 'refused' | 'unknown' | 'stuck'
  /** Requests with the key so far. */
  attempts: number
  /** The responses for the key, in order, to explain why it is stuck. */
  responses: RecordedResponse[]
}

/** The same response, so many times in a row. */
interface RecordedResponse {
  description: string
  times: number
  /** When it came first, in seconds since the key was first used. */
  from: number
}

/** One request of a caller with its result; times in milliseconds since the epoch. */
export interface TrafficRequest {
  began: number
  ended: number
  /** `200`, `409 not_connected`, or `no response`. */
  description: string
}

/** `rate`: messages to the devices a second. */
export async function startTraffic(
  world: World,
  devices: LinkedDevice[],
  dice: Dice,
  rate = WRITTEN_A_SECOND,
): Promise<Traffic> {
  const friend = await createPhone(world, 'Friend')
  return new Traffic({ world, devices, dice, rate, friend })
}

interface TrafficOptions {
  world: World
  devices: LinkedDevice[]
  dice: Dice
  rate: number
  friend: string
}

export class Traffic {
  /** Message ids that the network accepted from people, by the device that must get them. */
  readonly written = new Map<string, string>()
  /** Those of them that have a file. */
  readonly files = new Set<string>()
  readonly sends: Send[] = []
  /** Every request that was made, in the order of the responses. */
  readonly requests: TrafficRequest[] = []
  /** The phone that all sends go to. */
  readonly friend: string
  readonly #options: TrafficOptions
  readonly #running: Promise<void>[]
  #isRunning = true
  #texts = 0

  constructor(options: TrafficOptions) {
    this.#options = options
    this.friend = options.friend
    const sending = options.devices.map((device) => this.#sendFromDevice(device))
    this.#running = [this.#writeMessages(), this.#writeMessages(), ...sending]
  }

  /** Starts no more messages and sends; resolves when every key has settled. */
  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#running)
  }

  async #writeMessages(): Promise<void> {
    const { world, devices, dice, rate } = this.#options
    while (this.#isRunning) {
      const device = dice.pickItem(devices)
      const text = `m${this.#texts++}`
      const hasFile = dice.rollDie(FILE_EVERY) === 1
      const content = hasFile ? { document: FILE, mimetype: 'text/plain', caption: text } : { text }
      const message = { from: this.friend, to: device.number, ...content, count: BURST }
      // A simulator that restarts accepts nothing: such messages were never written.
      const accepted = await world.sim('POST', '/messages', message).catch(() => undefined)
      for (const id of (accepted?.ids ?? []) as string[]) {
        this.written.set(id, device.id)
        if (hasFile) this.files.add(id)
      }
      await wait((BURST / rate) * 1000)
    }
  }

  async #sendFromDevice(device: LinkedDevice): Promise<void> {
    while (this.#isRunning) {
      const n = this.#texts++
      const send: Send = {
        // Traffic before it, of a test's first try, had keys of its own.
        key: `${this.friend}-${n}`,
        text: `s${n}`,
        device,
        outcome: 'stuck',
        attempts: 0,
        responses: [],
      }
      this.sends.push(send)
      await this.#retrySend(send)
      await wait(500 + this.#options.dice.rollDie(1000))
    }
  }

  /** Repeats the request until the key has a final response. */
  async #retrySend(send: Send): Promise<void> {
    const began = Date.now()
    while (Date.now() < began + SETTLES_WITHIN_MS) {
      send.attempts++
      const requestedAt = Date.now()
      const response = await send.device.caller
        .post('/send/text', { number: this.friend, text: send.text }, { 'idempotency-key': send.key })
        .catch(() => undefined)
      const description = formatResponse(response)
      this.requests.push({ began: requestedAt, ended: Date.now(), description })
      recordResponse(send.responses, description, (Date.now() - began) / 1000)
      const outcome = response && findOutcome(response)
      if (outcome) {
        send.outcome = outcome
        return
      }
      await wait(RETRY_AFTER_MS)
    }
  }
}

const formatResponse = (response: ApiResponse | undefined): string =>
  response ? `${response.status} ${response.body?.error ?? ''}`.trim() : 'no response'

function recordResponse(responses: RecordedResponse[], description: string, now: number): void {
  const last = responses.at(-1)
  if (last?.description === description) last.times++
  else responses.push({ description: description, times: 1, from: now })
}

/** Undefined if a caller repeats the request: nothing had begun, or it is still running. A stored response is final. */
function findOutcome({ status, headers }: ApiResponse): Send['outcome'] | undefined {
  if (status === 200) return 'sent'
  if (status === 504) return 'unknown'
  return status === 422 || headers.get('idempotency-replayed') === 'true' ? 'refused' : undefined
}
