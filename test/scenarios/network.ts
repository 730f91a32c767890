// The actions and queries of the other end: the simulated network, by its routes under /sim.

import { until } from '../until.ts'

export type MediaKind = 'image' | 'video' | 'audio' | 'document'

export interface Shown {
  id: string
  from: string
  chat: string
  type: string
  text: string
  caption?: string
  target?: string
  quoted?: string
  mediaSha256?: string
  choices?: string[]
}

interface Logged {
  what: string
  at: number
  [more: string]: unknown
}

export interface ChatSettings {
  chat: string
  archived?: boolean
  pinned?: boolean
  mutedUntil?: number | null
  read?: boolean
  starred?: string[]
}

export interface PhoneSettings {
  name: string
  chats: ChatSettings[]
  contacts: { jid: string; name: string }[]
  labels: { labelid: string; name: string; chats: string[] }[]
}

export class Network {
  readonly #url: string
  readonly #terms: object

  /** The base of its routes, and what its phones are unless a scenario says otherwise. */
  constructor(url: string, terms: { lidMigrated?: boolean } = {}) {
    this.#url = url
    this.#terms = terms
  }

  async #request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}/sim${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as Answer
  }
  #post = <Answer = unknown>(path: string, body: object = {}) => this.#request<Answer>('POST', path, body)
  #get = <Answer>(path: string) => this.#request<Answer>('GET', path)

  createPhone = (number: string, more: object = {}) =>
    this.#post('/phones', { number, name: number, ...this.#terms, ...more })
  reinstallPhone = (number: string, wish: object = {}) => this.#post(`/phones/${number}/reinstall`, wish)
  scanCode = (number: string, qr: string) => this.#post<{ device: number }>(`/phones/${number}/scan`, { qr })
  typeCode = (number: string, code: string) =>
    this.#post<{ device: number }>(`/phones/${number}/code`, { code })
  unlinkDevice = (number: string) => this.#post(`/phones/${number}/unlink`)

  async listCompanions(number: string): Promise<{ device: number; online: boolean }[]> {
    return (await this.#get<{ companions: { device: number; online: boolean }[] }>(`/phones/${number}`))
      .companions
  }

  /** Returns its id. */
  async writeMessage(from: string, to: string, content: object): Promise<string> {
    return (await this.#post<{ id: string }>('/messages', { from, to, ...content })).id
  }
  writeBurst = (from: string, to: string, count: number) =>
    this.#post<{ ids: string[] }>('/messages', { from, to, text: 'one of many', count })
  async changeMessage(
    id: string,
    kind: 'react' | 'edit' | 'revoke',
    by: string,
    text?: string,
    more: { form?: 'sealed' | 'plain' } = {},
  ): Promise<string> {
    const body = { by, ...(text !== undefined && { text }), ...more }
    return (await this.#post<{ id: string }>(`/messages/${id}/${kind}`, body)).id
  }
  async castVote(id: string, by: string, choices: string[]): Promise<string> {
    return (await this.#post<{ id: string }>(`/messages/${id}/vote`, { by, choices })).id
  }
  sendReceipt = (id: string, by: string, type: string) => this.#post(`/messages/${id}/receipt`, { by, type })

  async readInbox(number: string): Promise<Shown[]> {
    return (await this.#get<{ messages: Shown[] }>(`/phones/${number}/inbox`)).messages
  }
  /** The message as this phone shows it, once it does. */
  waitForMessage(number: string, id: string): Promise<Shown> {
    return until(async () => (await this.readInbox(number)).find((one) => one.id === id))
  }
  async listReceipts(number: string): Promise<{ ids: string[]; type: string }[]> {
    return (await this.#get<{ receipts: { ids: string[]; type: string }[] }>(`/receipts?number=${number}`))
      .receipts
  }
  async readLog(number: string): Promise<Logged[]> {
    return (await this.#get<{ entries: Logged[] }>(`/log?number=${number}`)).entries
  }

  async createGroup(owner: string, participants: string[], more: object = {}): Promise<string> {
    const wish = { subject: 'Club', owner, participants, ...more }
    return (await this.#post<{ jid: string }>('/groups', wish)).jid
  }
  changeMembers = (jid: string, by: string, action: string, participants: string[]) =>
    this.#post(`/groups/${jid}/participants`, { by, action, participants })
  changeGroup = (jid: string, by: string, change: object) =>
    this.#request('PATCH', `/groups/${jid}`, { by, ...change })
  async readGroup(jid: string) {
    const group = await this.#get<{
      subject: string
      description?: string
      announce?: boolean
      locked?: boolean
      invite: string
      participants: { jid: string; role: string }[]
    }>(`/groups/${jid}`)
    const roles = group.participants.map(({ jid, role }) => [jid.split('@')[0] ?? '', role] as const)
    return { ...group, roles: new Map(roles) }
  }

  changeSettings = (number: string, change: object) => this.#post(`/phones/${number}/settings`, change)
  readSettings = (number: string) => this.#get<PhoneSettings>(`/phones/${number}/settings`)
  readProfile = (number: string) =>
    this.#get<{ blocked: string[]; available: boolean; name: string }>(`/phones/${number}/profile`)

  async startCall(from: string, to: string): Promise<string> {
    return (await this.#post<{ callId: string }>('/calls', { from, to })).callId
  }
  endCall = (id: string, state: string) => this.#post(`/calls/${id}/state`, { state })
  readCallState = async (id: string) => (await this.#get<{ state: string }>(`/calls/${id}`)).state

  fault = (fault: object) => this.#post('/faults', fault)
  endFaults = () => this.#request('DELETE', '/faults')
}
