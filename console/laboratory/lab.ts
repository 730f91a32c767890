// The requests to the laboratory through the gateway's own origin: the simulated network, its phones, and the receiver.

import { limits } from '../../shared/contract/version.ts'

export interface Lab {
  /** `autoReceipt`: whether it sends receipts by itself. `passkey`: whether a device is linked only with one. */
  phone(number: string, name: string, wish?: { autoReceipt?: boolean; passkey?: boolean }): Promise<unknown>
  /** `credential`: in the JSON form of a browser. */
  addPasskey(number: string, credential: unknown): Promise<unknown>
  /** How far the linking of a device has come. */
  linking(number: string): Promise<Linking | null>
  /** The owner has compared the code. */
  confirm(number: string, confirm: boolean): Promise<unknown>
  scan(number: string, qr: string): Promise<unknown>
  unlink(number: string): Promise<unknown>
  write(from: string, to: string, text: string): Promise<unknown>
  inbox(number: string): Promise<InboxMessage[]>
  receipt(id: string, by: string, type: 'read'): Promise<unknown>
  fault(fault: object): Promise<unknown>
  endFaults(): Promise<unknown>
  /** Whether the account is typing to this number now, as the number's phone shows it. */
  typing(owner: string, to: string): Promise<boolean>
  receiver(answer?: number): Promise<Receiver>
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

export function openLab(adminToken: string): Lab {
  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`/console/laboratory${path}`, {
      ...{ method, headers: { admintoken: adminToken, 'content-type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.error ?? String(response.status))
    return answer
  }
  return {
    phone: (number, name, wish) => ask('POST', '/sim/phones', { number, name, ...wish }),
    addPasskey: (number, credential) =>
      ask('POST', `/sim/phones/${number}/passkey/credentials`, credential as object),
    linking: async (number) =>
      (await ask<{ linking: Linking | null }>('GET', `/sim/phones/${number}/passkey`)).linking,
    confirm: (number, confirm) => ask('POST', `/sim/phones/${number}/passkey/confirm`, { confirm }),
    scan: (number, qr) => ask('POST', `/sim/phones/${number}/scan`, { qr }),
    unlink: (number) => ask('POST', `/sim/phones/${number}/unlink`, {}),
    write: (from, to, text) => ask('POST', '/sim/messages', { from, to, text }),
    inbox: async (number) =>
      (await ask<{ messages: InboxMessage[] }>('GET', `/sim/phones/${number}/inbox`)).messages,
    receipt: (id, by, type) => ask('POST', `/sim/messages/${id}/receipt`, { by, type }),
    fault: (fault) => ask('POST', '/sim/faults', fault),
    endFaults: () => ask('DELETE', '/sim/faults'),
    async typing(owner, to) {
      const after = Date.now() - limits.sendDelayMs
      const { entries } = await ask<{ entries: LogEntry[] }>('GET', `/sim/log?number=${owner}&after=${after}`)
      const last = entries.findLast((entry) => entry.what === 'chatstate' && entry.to?.startsWith(to))
      return last?.state === 'composing'
    },
    receiver: (answer) =>
      answer === undefined ? ask('GET', '/receiver') : ask('POST', '/receiver', { answer }),
    killHost: () => ask('POST', '/host/kill', {}),
  }
}
