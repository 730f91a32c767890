// The receiver that is graded: deliveries are posted to it as a gateway posts them, or with one thing wrong.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { z } from 'zod'
import { signDelivery } from '../http/delivery-signature.ts'

/** How long a gateway waits for an answer. */
export const POST_TIMEOUT = 15 * SECOND
const RESTART_TIMEOUT = 60 * SECOND
const STEP_MS = 50

export interface Delivery {
  id: string
  body: string
  headers: Record<string, string>
}

export interface Answer {
  /** 0 if there was none. */
  status: number
  /** How long it took, in milliseconds. */
  ms: number
  isTaken: boolean
}

export interface ReceiverOptions {
  url: string
  secret: string
  /** Answers a GET with a JSON list of the ids that were worked on, each as often as that was done. */
  listUrl?: string | undefined
  /** A command that ends the receiver without a warning and starts it anew. */
  restart?: string | undefined
}

/** What a delivery may differ in from a genuine one. */
interface Wish {
  id?: string
  /** More fields of the envelope, or others. */
  fields?: object
  /** Its signature's key, if not that of the receiver. */
  secret?: string
  /** Seconds since it was signed. */
  age?: number
  /** How the envelope is written. */
  write?: (envelope: object) => string
}

export class GradedReceiver {
  readonly #options: ReceiverOptions
  #seq = 0

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  get canList(): boolean {
    return this.#options.listUrl !== undefined
  }

  get canRestart(): boolean {
    return this.#options.restart !== undefined
  }

  get secret(): string {
    return this.#options.secret
  }

  /** An event of the type `test`, with the fields that every event has. */
  createDelivery({
    id = randomUUID(),
    fields,
    secret = this.secret,
    age = 0,
    write = JSON.stringify,
  }: Wish = {}): Delivery {
    this.#seq += 1
    const head = { EventType: 'test', eventId: id, seq: this.#seq, instanceId: id, instanceName: 'grade' }
    const body = write({ ...head, owner: '', timestamp: Date.now(), ...fields })
    const at = new Date(Date.now() - age * SECOND)
    return { id, body, headers: signDelivery(secret, id, at, body) }
  }

  /** As the gateway repeats it: the same id and bytes, with the time of now. */
  repeatDelivery = ({ id, body }: Delivery): Delivery => ({
    id,
    body,
    headers: signDelivery(this.secret, id, new Date(), body),
  })

  async post({ body, headers }: Delivery): Promise<Answer> {
    const beganAt = performance.now()
    const end = (status: number): Answer => {
      return { status, ms: Math.round(performance.now() - beganAt), isTaken: status >= 200 && status < 300 }
    }
    try {
      // Each by a connection of its own: an open one may lead to a process that has ended.
      const all = { ...headers, 'content-type': 'application/json', connection: 'close' }
      const signal = AbortSignal.timeout(POST_TIMEOUT)
      const request = { method: 'POST', redirect: 'manual', headers: all, body, signal } as const
      const response = await fetch(this.#options.url, request)
      await response.arrayBuffer()
      return end(response.status)
    } catch {
      return end(0)
    }
  }

  /** Each id that was worked on, with how often. */
  async countWorked(): Promise<Map<string, number>> {
    const { listUrl = '' } = this.#options
    const response = await fetch(listUrl, { signal: AbortSignal.timeout(POST_TIMEOUT) }).catch(
      () => undefined,
    )
    if (!response?.ok) throw new OperatorError(`--list ${listUrl} answered ${response?.status ?? 'nothing'}.`)
    const list = z.array(z.string()).safeParse(await response.json().catch(() => undefined))
    if (!list.success) throw new OperatorError(`--list ${listUrl} did not answer a JSON list of ids.`)
    const counts = new Map<string, number>()
    for (const id of list.data) counts.set(id, (counts.get(id) ?? 0) + 1)
    return counts
  }

  /** Resolves when the command has ended. */
  async restart(): Promise<void> {
    const { restart = '' } = this.#options
    const command = spawn(restart, {
      shell: true,
      timeout: RESTART_TIMEOUT,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(command, 'exit')
    if (code !== 0) throw new OperatorError(`--restart has ended with ${code ?? 'a signal'}.`)
  }

  /** Posts it until it is taken. */
  async postUntilTaken(delivery: Delivery): Promise<void> {
    const endsAt = performance.now() + RESTART_TIMEOUT
    while (!(await this.post(this.repeatDelivery(delivery))).isTaken) {
      if (performance.now() > endsAt)
        throw new OperatorError('After --restart the receiver has taken nothing for a minute.')
      await wait(STEP_MS)
    }
  }
}
