// The requests to the laboratory through the gateway's own origin: the simulated network, its phones, and the receiver.

import { limits } from '../../shared/contract/limits.ts'

export interface LaboratoryClient {
  /** `autoReceipt`: whether it sends receipts by itself. `passkey`: whether a device is linked only with one. */
  savePhone(
    number: string,
    name: string,
    options?: { autoReceipt?: boolean; passkey?: boolean },
  ): Promise<unknown>
  /** `credential`: in the JSON form of a browser. */
  addPasskey(number: string, credential: unknown): Promise<unknown>
  /** How far the linking of a device has come. */
  readLinking(number: string): Promise<Linking | null>
  /** The owner has compared the code. */
  confirmLinking(number: string, confirmLinking: boolean): Promise<unknown>
  scanQr(number: string, qr: string): Promise<unknown>
  unlinkDevice(number: string): Promise<unknown>
  writeMessage(from: string, to: string, text: string): Promise<unknown>
  readInbox(number: string): Promise<InboxMessage[]>
  sendReceipt(id: string, by: string, type: 'read'): Promise<unknown>
  startFault(startFault: object): Promise<unknown>
  endAllFaults(): Promise<unknown>
  /** Whether the account is typing to this number now, as the number's phone shows it. */
  isTyping(owner: string, to: string): Promise<boolean>
  configureReceiver(answer?: number): Promise<Receiver>
  killHost(): Promise<{ killed: number }>
}

export interface Linking {
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
export interface Receiver {
  url: string
  answer: number
  received: { at: number; id: string; type: string; status: number }[]
}

export function connectLaboratory(adminToken: string): LaboratoryClient {
  async function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`/console/laboratory${path}`, {
      method,
      headers: { admintoken: adminToken, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.error ?? String(response.status))
    return answer
  }
  return {
    savePhone: (number, name, options) => request('POST', '/sim/phones', { number, name, ...options }),
    addPasskey: (number, credential) =>
      request('POST', `/sim/phones/${number}/passkey/credentials`, credential as object),
    readLinking: async (number) =>
      (await request<{ linking: Linking | null }>('GET', `/sim/phones/${number}/passkey`)).linking,
    confirmLinking: (number, confirm) =>
      request('POST', `/sim/phones/${number}/passkey/confirm`, { confirm }),
    scanQr: (number, qr) => request('POST', `/sim/phones/${number}/scan`, { qr }),
    unlinkDevice: (number) => request('POST', `/sim/phones/${number}/unlink`, {}),
    writeMessage: (from, to, text) => request('POST', '/sim/messages', { from, to, text }),
    readInbox: async (number) =>
      (await request<{ messages: InboxMessage[] }>('GET', `/sim/phones/${number}/inbox`)).messages,
    sendReceipt: (id, by, type) => request('POST', `/sim/messages/${id}/receipt`, { by, type }),
    startFault: (fault) => request('POST', '/sim/faults', fault),
    endAllFaults: () => request('DELETE', '/sim/faults'),
    async isTyping(owner, to) {
      const after = Date.now() - limits.maxSendDelayMs
      const { entries } = await request<{ entries: LogEntry[] }>(
        'GET',
        `/sim/log?number=${owner}&after=${after}`,
      )
      const last = entries.findLast((entry) => entry.what === 'chatstate' && entry.to?.startsWith(to))
      return last?.state === 'composing'
    },
    configureReceiver: (answer) =>
      answer === undefined ? request('GET', '/receiver') : request('POST', '/receiver', { answer }),
    killHost: () => request('POST', '/host/kill', {}),
  }
}
