// Whether the gateway and its database respond, learnt from every request of the console, and the attempts to reach them again.

import { GatewayError, GatewayUnreachable } from '@msgnet/client/errors.ts'
import { useLayoutEffect, useState } from 'preact/hooks'

type Absent = 'gateway' | 'database'

/** Undefined parts: `absent` while all is well, `nextTryAt` while an attempt is under way. */
interface GatewayState {
  absent?: Absent
  lastGoodAt?: number
  nextTryAt?: number
}

const FIRST_WAIT_MS = 2000
const MAX_WAIT_MS = 15_000
/** A gateway that hangs is away too, though the request may still be answered. */
const PATIENCE_MS = 8000

class GatewayWatch {
  #state: GatewayState = {}
  #waitMs = FIRST_WAIT_MS
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<(recovered: boolean) => void>()

  get state(): GatewayState {
    return this.#state
  }

  reportResponse(): void {
    // Reads may work without a database that takes writes. Whether it is back, an attempt finds out.
    if (this.#state.absent === 'database') this.#state = { ...this.#state, lastGoodAt: Date.now() }
    else this.#recover()
  }

  #recover(): void {
    const recovered = this.#state.absent !== undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waitMs = FIRST_WAIT_MS
    this.#state = { lastGoodAt: Date.now() }
    // Every response sets the time, but only a change is drawn.
    if (recovered) this.#notify(true)
  }

  reportAbsence(absent: Absent): void {
    const isNew = this.#state.absent !== absent
    this.#state = { ...this.#state, absent }
    if (this.#timer === undefined) this.#scheduleTry()
    else if (isNew) this.#notify(false)
  }

  readonly tryNow = async (): Promise<void> => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { nextTryAt: _, ...state } = this.#state
    this.#state = state
    this.#notify(false)
    const absent = await probeGateway()
    if (absent) this.reportAbsence(absent)
    else this.#recover()
  }

  /** `listener` is called with true when the gateway is back, with false after every other change. */
  subscribe(listener: (recovered: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #scheduleTry(): void {
    this.#state = { ...this.#state, nextTryAt: Date.now() + this.#waitMs }
    this.#timer = setTimeout(this.tryNow, this.#waitMs)
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS)
    this.#notify(false)
  }

  #notify(recovered: boolean): void {
    for (const listener of [...this.#listeners]) listener(recovered)
  }
}

export const gatewayWatch = new GatewayWatch()

export function useGatewayState(): GatewayState {
  const [state, setState] = useState(gatewayWatch.state)
  useLayoutEffect(() => gatewayWatch.subscribe(() => setState(gatewayWatch.state)), [])
  return state
}

async function probeGateway(): Promise<Absent | undefined> {
  try {
    const response = await fetch('/health/ready', { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (response.ok) return undefined
    // A proxy in front of the gateway responds with a page; the gateway responds with JSON.
    return /json/.test(response.headers.get('content-type') ?? '') ? 'database' : 'gateway'
  } catch {
    return 'gateway'
  }
}

/** The `fetch` of the console's clients: it reports what each request learns about the gateway. */
export async function fetchAndReport(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const isRead = (init?.method ?? 'GET') === 'GET'
  const patience = isRead ? setTimeout(() => gatewayWatch.reportAbsence('gateway'), PATIENCE_MS) : undefined
  try {
    const response = await fetch(input, init)
    const absent = response.status >= 500 ? await readAbsence(response.clone()) : undefined
    if (absent) gatewayWatch.reportAbsence(absent)
    else gatewayWatch.reportResponse()
    return response
  } catch (error) {
    // A request that the page itself has given up says nothing about the gateway.
    if (!init?.signal?.aborted) gatewayWatch.reportAbsence('gateway')
    throw error
  } finally {
    clearTimeout(patience)
  }
}

async function readAbsence(response: Response): Promise<Absent | undefined> {
  try {
    const { error } = (await response.json()) as { error?: string }
    return error === 'storage_unavailable' ? 'database' : undefined
  } catch {
    // Not JSON: a proxy responds in place of the gateway.
    return 'gateway'
  }
}

/** Errors that the bar at the top shows, so that no page has to. */
export function isAbsenceError(error: unknown): boolean {
  if (error instanceof GatewayUnreachable) return true
  return (
    error instanceof GatewayError &&
    ['storage_unavailable', 'not_json'].includes(error.code) &&
    error.status >= 500
  )
}
