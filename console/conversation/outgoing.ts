// Messages that are being sent: each has a key, with which a repeat after a missing response never sends twice.

import { useRef, useState } from 'preact/hooks'
import { GatewayError } from '../../client/errors.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'

/** Sends with this key; the request is the same each time. */
export type SendRequest = (options: { idempotencyKey: string }) => Promise<MessageRecord>

export interface OutgoingMessage {
  key: string
  chatid: string
  /** What the bubble shows: the text, or what else is sent. */
  label: string
  request: SendRequest
  state: 'sending' | 'refused' | 'unknown' | 'sent'
  error?: unknown
  /** Of the unknown message, which may appear among the stored ones meanwhile. */
  messageid?: string | undefined
  record?: MessageRecord
}

export type Outgoing = ReturnType<typeof useOutgoing>

export function useOutgoing() {
  const [entries, setEntries] = useState<readonly OutgoingMessage[]>([])
  const changeEntry = (key: string, change: Partial<OutgoingMessage>) =>
    setEntries((before) => before.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)))
  const discardMessage = (key: string) => setEntries((before) => before.filter((entry) => entry.key !== key))
  /** By chat: the next message waits for the one before it, so that they arrive as they were written. */
  const turns = useRef(new Map<string, Promise<void>>())
  const dispatchMessage = ({ key, chatid, request }: OutgoingMessage) => {
    const previous = turns.current.get(chatid) ?? Promise.resolve()
    const turn = previous
      .then(() => request({ idempotencyKey: key }))
      .then(
        (record) => changeEntry(key, { state: 'sent', record }),
        (error) => changeEntry(key, classifyError(error)),
      )
    turns.current.set(chatid, turn)
  }
  const sendMessage = (chatid: string, label: string, request: SendRequest) => {
    const entry: OutgoingMessage = { key: createKey(), chatid, label, request, state: 'sending' }
    setEntries((before) => [...before, entry])
    dispatchMessage(entry)
  }
  const repeatMessage = (entry: OutgoingMessage) => {
    // What was refused had no effect and its refusal is stored under its key; what is unknown keeps its key.
    const key = entry.state === 'refused' ? createKey() : entry.key
    const repeated: OutgoingMessage = { ...entry, key, state: 'sending', error: undefined }
    setEntries((before) => before.map((each) => (each.key === entry.key ? repeated : each)))
    dispatchMessage(repeated)
  }
  return { entries, sendMessage, repeatMessage, discardMessage }
}

/** Not `randomUUID`, which a page without TLS does not have. */
const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** After these the message may have been sent: the outcome is unknown, or is still awaited by the first request. */
const openCodes = ['outcome_unknown', 'idempotency_in_progress', 'not_json', 'internal']

function classifyError(error: unknown): Partial<OutgoingMessage> {
  const isRefusal = error instanceof GatewayError && !error.outcomeUnknown && !openCodes.includes(error.code)
  const messageid = error instanceof GatewayError ? error.messageid : undefined
  return { state: isRefusal ? 'refused' : 'unknown', error, messageid }
}
