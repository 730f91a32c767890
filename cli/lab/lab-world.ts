// A laboratory for the programs of callers: a gateway whose network, clock and receiver do what a test says.

import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { type Json, LabGateway, MAX_AHEAD } from './lab-gateway.ts'
import { LabReceiver } from './lab-receiver.ts'

const STEP_MS = 20
const MAX_WAIT_MS = 60_000
/** What is due when the time has come may need a device that is not connected: the time passes all the same. */
const MAX_FINISH_MS = 10_000
/** An account of the simulated network, and a person who writes to it. */
const FIRST_NUMBER = 5_511_900_000_000

export interface LabInstance {
  id: string
  token: string
  /** Of the account that is linked to it. */
  number: string
}

export class Lab {
  readonly gateway: LabGateway
  readonly receiver: LabReceiver
  readonly #instances: LabInstance[] = []
  /** Errors of what stories go on doing after their response. */
  readonly problems: string[] = []
  #numbers = 0
  /** What was due at these times, and could not be done then. */
  readonly #passedOver = new Set<number>()
  /** The clock is moved once at a time. */
  #lastMove: Promise<unknown> = Promise.resolve()

  static async open(allowed: string[], signal: AbortSignal): Promise<Lab> {
    signal.throwIfAborted()
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    let gateway: LabGateway | undefined
    const receiver = await LabReceiver.open(secret, {
      now: () => gateway?.now() ?? Date.now(),
      isNow: (at) => gateway?.isNow(at) ?? false,
    })
    try {
      gateway = await LabGateway.start(receiver.place, allowed, signal)
      return new Lab(gateway, receiver)
    } catch (error) {
      await receiver.close()
      throw error
    }
  }

  /** One in which all that a first message needs has run before: code that runs for the first time takes several times as long. It is empty again. */
  static async openWarm(allowed: string[], signal: AbortSignal): Promise<Lab> {
    const lab = await Lab.open(allowed, signal)
    const ended = Promise.withResolvers<never>()
    const end = () => ended.reject(signal.reason)
    signal.addEventListener('abort', end)
    try {
      await Promise.race([lab.#warmUp(), ended.promise])
      return lab
    } catch (error) {
      await lab.close()
      throw error
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  private constructor(gateway: LabGateway, receiver: LabReceiver) {
    this.gateway = gateway
    this.receiver = receiver
  }

  async #warmUp(): Promise<void> {
    const instance = await this.createInstance()
    const from = await this.createPhone()
    const { id } = await this.gateway.sim('POST', '/messages', { from, to: instance.number, text: 'first' })
    await this.waitForDelivery('the first message', ({ message }) => message?.messageid === id)
    await this.callAs(instance, 'DELETE', '/instance')
    this.#instances.length = 0
    this.receiver.hide(instance.id)
  }

  async close(): Promise<void> {
    await this.gateway.stop()
    await this.receiver.close()
  }

  /** An account with its phone, whose owner talks by the control routes of the network. */
  async createPhone(
    wish: { number?: string; name?: string; [field: string]: unknown } = {},
  ): Promise<string> {
    const number = wish.number ?? String(FIRST_NUMBER + ++this.#numbers)
    await this.gateway.sim('POST', '/phones', { name: `Person ${this.#numbers}`, ...wish, number })
    return number
  }

  /** An instance that is linked to an account, and whose events go to the receiver. */
  async createInstance(name = 'Shop'): Promise<LabInstance> {
    const { status, body } = await this.gateway.callAdmin('POST', '/instance/init', { name })
    if (status !== 200) throw new OperatorError(`POST /instance/init answered ${status}.`)
    const { id, token } = body.instance
    const instance = { id, token, number: await this.createPhone({ name: 'Owner' }) }
    await this.saveWebhook(instance)
    await this.link(instance)
    this.#instances.push(instance)
    return instance
  }

  /** Its events go to the receiver. */
  saveWebhook = (instance: LabInstance): Promise<unknown> =>
    this.callAs(instance, 'POST', '/webhook', {
      url: this.receiver.url,
      events: 'all',
      secret: this.receiver.secret,
    })

  /** Of nobody. */
  createUnusedNumber = (): string => String(FIRST_NUMBER + ++this.#numbers)

  findInstance(id: string): LabInstance {
    const found = this.#instances.find((each) => each.id === id)
    if (!found) throw new OperatorError(`instance: ${id} was not made by this laboratory.`)
    return found
  }

  /** Throws unless the answer is 200. */
  async callAs({ token }: LabInstance, method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.gateway.callAs(token, method, path, body)
    if (answer.status !== 200)
      throw new OperatorError(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** The phone of its account scans the code. */
  async link(instance: LabInstance): Promise<void> {
    await this.callAs(instance, 'POST', '/instance/connect')
    const qr = await this.until('a QR code', async () => {
      const { pairing } = await this.callAs(instance, 'GET', '/instance/status')
      return pairing?.qr as string | undefined
    })
    await this.gateway.sim('POST', `/phones/${instance.number}/scan`, { qr })
    await this.waitForStatus(instance, 'connected')
  }

  waitForStatus = (instance: LabInstance, status: string): Promise<unknown> =>
    this.until(`the instance to be ${status}`, async () => {
      const { instance: record, loggedIn } = await this.callAs(instance, 'GET', '/instance/status')
      return record.status === status && loggedIn === (status === 'connected')
    })

  /** The first delivery that fits. */
  waitForDelivery = (what: string, fits: (envelope: Json) => boolean) =>
    this.until(what, async () => this.receiver.received.find(({ envelope }) => fits(envelope)))

  /**
   * So many milliseconds pass: at the time of each retry and each scheduled message it stands until that was done, then it goes on.
   */
  passTime(ms: number): Promise<void> {
    return this.#queueMove(ms, async () => {
      const end = this.gateway.now() + ms
      for (;;) {
        const next = Math.min(...(await this.#listDue()), end)
        await this.gateway.moveTime(Math.max(0, next - this.gateway.now()) + 1)
        await this.#finishDue()
        if (this.gateway.now() >= end) return
      }
    })
  }

  /** So many milliseconds pass at once. */
  skipTime(ms: number): Promise<void> {
    return this.#queueMove(ms, () => this.gateway.moveTime(ms))
  }

  #queueMove(ms: number, move: () => Promise<void>): Promise<void> {
    const moved = this.#lastMove.then(() => {
      if (this.gateway.ahead + ms > MAX_AHEAD)
        throw new OperatorError('pass: the clock moves 100 years (36500d) in all: start another laboratory.')
      return move()
    })
    // The next one is made all the same.
    this.#lastMove = moved.catch(() => undefined)
    return moved
  }

  /** A part of a story that goes on while the program under test acts. */
  continue(story: string, work: () => Promise<unknown>): void {
    work().catch((error: Error) => this.problems.push(`${story}: ${error.message}`))
  }

  /** Throws if it does not come about. */
  async until<Value>(what: string, look: () => Promise<Value>): Promise<NonNullable<Value>> {
    const ends = performance.now() + MAX_WAIT_MS
    for (;;) {
      const value = await look()
      if (value) return value
      if (performance.now() > ends) throw new OperatorError(`The laboratory waited in vain for ${what}.`)
      await wait(STEP_MS)
    }
  }

  /** Until nothing is due any more that can be done now. */
  async #finishDue(): Promise<void> {
    const ends = performance.now() + MAX_FINISH_MS
    const listLeft = async () => (await this.#listDue()).filter((at) => at <= this.gateway.now())
    let left = await listLeft()
    while (left.length > 0 && performance.now() < ends) {
      await wait(STEP_MS)
      left = await listLeft()
    }
    for (const at of left) this.#passedOver.add(at)
  }

  /** When deliveries are tried again and scheduled messages are sent, in milliseconds since the epoch. */
  async #listDue(): Promise<number[]> {
    const lists = this.#instances.map(async (instance) => {
      // The program under test may have deleted it.
      const { status } = await this.gateway.callAs(instance.token, 'GET', '/instance/status')
      if (status === 401) return []
      const { errors } = await this.callAs(instance, 'GET', '/webhook/errors')
      const { scheduled } = await this.callAs(instance, 'GET', '/v1/scheduled?limit=100')
      return [
        ...errors.map(({ nextAttemptAt }: Json) => nextAttemptAt),
        ...scheduled.map(({ scheduledFor }: Json) => scheduledFor),
      ]
    })
    return (await Promise.all(lists))
      .flat()
      .filter(Boolean)
      .map((at) => new Date(at).getTime())
      .filter((at) => !this.#passedOver.has(at))
  }
}
