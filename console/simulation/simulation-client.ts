// The requests to the simulation through the gateway's own origin: the simulated network, its phones, and the receiver.

import { limits } from '@msgnet/shared/contract/limits.ts'

interface Linking {
  stage: string
  confirmation: string
}
export interface InboxMessage {
  id: string
  from: string
  type: string
  text: string
  caption?: string
  timestamp: number
}
interface LogEntry {
  what: string
  to?: string
  state?: string
}
interface Receiver {
  url: string
  answer: number
  received: { at: number; id: string; type: string; status: number }[]
}

export class SimulationClient {
  readonly #adminToken: string

  constructor(adminToken: string) {
    this.#adminToken = adminToken
  }

  /** `autoReceipt`: whether it sends receipts by itself. `passkey`: whether a device is linked only with one. */
  savePhone(number: string, name: string, options?: { autoReceipt?: boolean; passkey?: boolean }) {
    return this.#request('POST', '/sim/phones', { number, name, ...options })
  }

  /** `credential`: in the JSON form of a browser. */
  addPasskey(number: string, credential: unknown) {
    return this.#request('POST', `/sim/phones/${number}/passkey/credentials`, credential as object)
  }

  /** How far the linking of a device has come. */
  async readLinking(number: string) {
    type Body = { linking: Linking | null }
    return (await this.#request<Body>('GET', `/sim/phones/${number}/passkey`)).linking
  }

  /** The owner has compared the code. */
  confirmLinking(number: string, confirm: boolean) {
    return this.#request('POST', `/sim/phones/${number}/passkey/confirm`, { confirm })
  }

  scanQr(number: string, qr: string) {
    return this.#request('POST', `/sim/phones/${number}/scan`, { qr })
  }

  unlinkDevice(number: string) {
    return this.#request('POST', `/sim/phones/${number}/unlink`, {})
  }

  writeMessage(from: string, to: string, text: string) {
    return this.#request('POST', '/sim/messages', { from, to, text })
  }

  async readInbox(number: string) {
    type Body = { messages: InboxMessage[] }
    return (await this.#request<Body>('GET', `/sim/phones/${number}/inbox`)).messages
  }

  sendReceipt(id: string, by: string, type: 'read') {
    return this.#request('POST', `/sim/messages/${id}/receipt`, { by, type })
  }

  startFault(fault: object) {
    return this.#request('POST', '/sim/faults', fault)
  }

  endAllFaults() {
    return this.#request('DELETE', '/sim/faults')
  }

  /** Whether the account is typing to this number now, as the number's phone shows it. */
  async isTyping(owner: string, to: string) {
    const after = Date.now() - limits.maxSendDelayMs
    type Body = { entries: LogEntry[] }
    const { entries } = await this.#request<Body>('GET', `/sim/log?number=${owner}&after=${after}`)
    const last = entries.findLast((entry) => entry.what === 'chatstate' && entry.to?.startsWith(to))
    return last?.state === 'composing'
  }

  readReceiver() {
    return this.#request<Receiver>('GET', '/receiver')
  }

  /** `answer`: the status with which the receiver responds from now on. */
  setReceiverStatus(answer: number) {
    return this.#request<Receiver>('POST', '/receiver', { answer })
  }

  killHost() {
    return this.#request('POST', '/host/kill', {})
  }

  async #request<Body = unknown>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`/console/laboratory${path}`, {
      method,
      headers: { admintoken: this.#adminToken, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const result = await response.json()
    if (!response.ok) throw new Error(result.error ?? String(response.status))
    return result
  }
}
