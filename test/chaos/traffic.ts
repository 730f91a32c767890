// The traffic while parts are killed: people write to every device and edit, and callers send with keys. All of it is recorded.

import { setTimeout as wait } from 'node:timers/promises'
import type { ApiResponse } from '../caller.ts'
import { createPhone, type LinkedDevice } from '../device.ts'
import type { World } from '../world.ts'
import type { Dice } from './dice.ts'
import { chooseWish, type Wish } from './varied-sends.ts'

/** Messages to the devices a second, spread over all of them. */
const WRITTEN_A_SECOND = 100
const BURST = 10
/** One burst in so many has files. */
const FILE_EVERY = 10
const FILE = Buffer.alloc(3000, 7).toString('base64')
/** A key that has not settled by then is stuck. */
const SETTLES_WITHIN_MS = 120_000
const RETRY_AFTER_MS = 250

/** One burst in so many is edited afterwards, where traffic is varied. */
const EDIT_EVERY = 5

export interface Send extends Wish {
  key: string
  device: LinkedDevice
  /** `stuck` when the key gave no final answer in time. */
  outcome: 'sent' | 'refused' | 'unknown' | 'stuck'
  /** Requests with the key so far. */
  attempts: number
  /** When the key was first used, and when it had its final response; milliseconds since the epoch. */
  began: number
  ended: number
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

/** Texts only. `rate`: messages to the devices a second. */
export async function startTraffic(
  world: World,
  devices: LinkedDevice[],
  dice: Dice,
  rate = WRITTEN_A_SECOND,
): Promise<Traffic> {
  const friend = await createPhone(world, 'Friend')
  return new Traffic({ world, devices, dice, rate, friend, groups: new Map() })
}

/** Sends of every kind, and people who edit. Each device is in a group with the friend, whose members are addressed by LID. */
export async function startVariedTraffic(
  world: World,
  devices: LinkedDevice[],
  dice: Dice,
): Promise<Traffic> {
  const friend = await createPhone(world, 'Friend')
  const groups = new Map<LinkedDevice, string>()
  for (const device of devices) {
    const group = { subject: 'Chaos', owner: friend, participants: [device.number] }
    const { jid } = await world.sim('POST', '/groups', group)
    await world.sim('POST', `/groups/${jid}/addressing`, { addressing: 'lid' })
    groups.set(device, String(jid))
  }
  return new Traffic({ world, devices, dice, rate: WRITTEN_A_SECOND, friend, groups })
}

interface TrafficOptions {
  world: World
  devices: LinkedDevice[]
  dice: Dice
  rate: number
  friend: string
  /** The group of each device; none where only texts are sent. */
  groups: ReadonlyMap<LinkedDevice, string>
}

export class Traffic {
  /** Message ids that the network accepted from people, by the device that must get them. */
  readonly written = new Map<string, string>()
  /** Those of them that have a file. */
  readonly files = new Set<string>()
  /** Those of them that the network accepted an edit of, by their device. */
  readonly edited = new Map<string, string>()
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
      const [first] = (accepted?.ids ?? []) as string[]
      if (first && !hasFile && this.#isVaried && dice.rollDie(EDIT_EVERY) === 1)
        await this.#editMessage(first, device)
      await wait((BURST / rate) * 1000)
    }
  }

  get #isVaried(): boolean {
    return this.#options.groups.size > 0
  }

  async #editMessage(id: string, device: LinkedDevice): Promise<void> {
    const edit = { by: this.friend, text: `edit of ${id}` }
    const accepted = await this.#options.world
      .sim('POST', `/messages/${id}/edit`, edit)
      .catch(() => undefined)
    if (accepted) this.edited.set(id, device.id)
  }

  async #sendFromDevice(device: LinkedDevice): Promise<void> {
    const { dice, groups } = this.#options
    let sentId: string | undefined
    while (this.#isRunning) {
      const n = this.#texts++
      const word = `s${n}`
      const circumstances = { friend: this.friend, group: groups.get(device), sentId, dice }
      const text: Wish = {
        kind: 'text',
        path: '/send/text',
        body: { number: this.friend, text: word },
        word,
        delayMs: 0,
      }
      const send: Send = {
        ...(this.#isVaried ? chooseWish(word, circumstances) : text),
        // Traffic before it, of a test's first try, had keys of its own.
        key: `${this.friend}-${n}`,
        device,
        outcome: 'stuck',
        attempts: 0,
        began: Date.now(),
        ended: 0,
        responses: [],
      }
      this.sends.push(send)
      const body = await this.#retrySend(send)
      send.ended = Date.now()
      if (send.outcome === 'sent' && send.kind === 'text') sentId = body?.messageid
      await wait(500 + this.#options.dice.rollDie(1000))
    }
  }

  /** Repeats the request until the key has a final response; returns the body of that. */
  async #retrySend(send: Send): Promise<{ messageid?: string } | undefined> {
    const { began } = send
    while (Date.now() < began + SETTLES_WITHIN_MS) {
      send.attempts++
      const requestedAt = Date.now()
      const response = await send.device.caller
        .post(send.path, send.body, { 'idempotency-key': send.key })
        .catch(() => undefined)
      const description = formatResponse(response)
      this.requests.push({ began: requestedAt, ended: Date.now(), description })
      recordResponse(send.responses, description, (Date.now() - began) / 1000)
      const outcome = response && findOutcome(response)
      if (outcome) {
        send.outcome = outcome
        return response.body
      }
      await wait(RETRY_AFTER_MS)
    }
    return undefined
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
