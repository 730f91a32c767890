// Messages that are being sent: each has a key, with which a repeat after a missing response never sends twice. They outlive the tab, and those that are small a reload.

import { GatewayError } from '@msgnet/client/errors.ts'
import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useEffect, useState } from 'preact/hooks'
import { readStoredSends, type SendRequest, type StoredSend, storeSends } from './stored-sends.ts'

export interface OutgoingMessage {
  key: string
  chatid: string
  /** What the bubble shows: the text, or what else is sent. */
  label: string
  /** Undefined after a reload, if it was too large to be stored: then only its record can be asked for. */
  request?: SendRequest | undefined
  state: 'sending' | 'refused' | 'unknown' | 'sent'
  error?: unknown
  record?: MessageRecord
}

const TRACK_SOURCE = 'console'
const outgoingByClient = new WeakMap<InstanceClient, Outgoing>()

export class Outgoing {
  readonly #client: InstanceClient
  readonly #instance: string
  /** What is written and not sent, by chat: until the page is loaded again or the user signs out. */
  readonly drafts = new Map<string, string>()
  readonly #listeners = new Set<() => void>()
  /** By chat: the next message waits for the one before it, so that they arrive as they were written. */
  readonly #turns = new Map<string, Promise<void>>()
  #entries: readonly OutgoingMessage[]

  constructor(client: InstanceClient, instance: string) {
    this.#client = client
    this.#instance = instance
    // The page that sent them missed what became of them.
    this.#entries = readStoredSends(instance).map((entry) => ({ ...entry, state: 'unknown' }))
  }

  get entries(): readonly OutgoingMessage[] {
    return this.#entries
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  sendMessage(chatid: string, label: string, request: SendRequest): void {
    const entry: OutgoingMessage = { key: createKey(), chatid, label, request, state: 'sending' }
    this.#setEntries([...this.#entries, entry])
    this.#dispatchMessage(entry)
  }

  repeatMessage(entry: OutgoingMessage): void {
    // What was refused had no effect and its refusal is stored under its key; what is unknown keeps its key.
    const key = entry.state === 'refused' ? createKey() : entry.key
    const repeated: OutgoingMessage = { ...entry, key, state: 'sending', error: undefined }
    this.#setEntries(this.#entries.map((each) => (each.key === entry.key ? repeated : each)))
    this.#dispatchMessage(repeated)
  }

  discardMessage(key: string): void {
    this.#setEntries(this.#entries.filter((entry) => entry.key !== key))
  }

  #dispatchMessage(entry: OutgoingMessage): void {
    const previous = this.#turns.get(entry.chatid) ?? Promise.resolve()
    const turn = previous
      .then(() => this.#requestMessage(entry))
      .then(
        (record) => this.#changeEntry(entry.key, record ? { state: 'sent', record } : { state: 'unknown' }),
        (error) => this.#changeEntry(entry.key, { state: isRefusal(error) ? 'refused' : 'unknown', error }),
      )
    this.#turns.set(entry.chatid, turn)
  }

  /** Undefined if no record of it is stored. */
  async #requestMessage({ key, request }: OutgoingMessage): Promise<MessageRecord | undefined> {
    if (!request) return (await this.#client.findMessages({ track_id: key, limit: 1 })).messages[0]
    const send = this.#client[request.route] as (
      body: SendRequest['body'] & { track_id: string; track_source: string },
      options: { idempotencyKey: string },
    ) => Promise<MessageRecord>
    // By the track id the stored record is known as this message, also after a reload.
    const body = { ...request.body, track_id: key, track_source: TRACK_SOURCE }
    return send.call(this.#client, body, { idempotencyKey: key })
  }

  #changeEntry(key: string, change: Partial<OutgoingMessage>): void {
    this.#setEntries(this.#entries.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)))
  }

  #setEntries(entries: readonly OutgoingMessage[]): void {
    this.#entries = entries
    storeSends(this.#instance, entries.filter(isOpen).map(toStoredSend))
    for (const listener of this.#listeners) listener()
  }
}

const isOpen = ({ state }: OutgoingMessage): boolean => state === 'sending' || state === 'unknown'

const toStoredSend = ({ key, chatid, label, request }: OutgoingMessage): StoredSend => ({
  key,
  chatid,
  label,
  request,
})

export function useOutgoing(client: InstanceClient, instance: string): Outgoing {
  const [, redraw] = useState(0)
  const outgoing = outgoingByClient.get(client) ?? new Outgoing(client, instance)
  outgoingByClient.set(client, outgoing)
  useEffect(() => outgoing.subscribe(() => redraw((times) => times + 1)), [outgoing])
  return outgoing
}

/** Not `randomUUID`, which a page without TLS does not have. */
const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** After these the message may have been sent: the outcome is unknown, or is still awaited by the first request. */
const openCodes = ['outcome_unknown', 'idempotency_in_progress', 'not_json', 'internal']

const isRefusal = (error: unknown): boolean =>
  error instanceof GatewayError && !error.outcomeUnknown && !openCodes.includes(error.code)
