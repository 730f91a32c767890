// The gateway's side of the simulation: sends messages, and lists each response and each event.

import { GatewayError } from '@msgnet/client/errors.ts'
import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useState } from 'preact/hooks'
import { describeKind } from '../message-kind.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Badge, Checkbox, Field } from '../ui/elements.tsx'
import { describeError } from '../ui/error-note.tsx'
import { type AnyEnvelope, useEvents } from '../use-events.ts'

const words = texts.simulation
const WAIT_SECONDS = 3
const TYPING_MS = 5000

export interface LogEntry {
  at: number
  title: string
  description: string
  status: number
  ms?: number
  requestId?: string
}

interface Props {
  client: InstanceClient
  contact: string
  linked: boolean
  entries: LogEntry[]
  addEntry: (entry: LogEntry) => void
}

export function GatewayPanel(props: Props) {
  const { client, entries, addEntry } = props
  useEvents(client, (envelope) => {
    const title = words.event(envelope.EventType)
    addEntry({ at: Date.now(), title, description: describeEvent(envelope), status: 0 })
  })
  return (
    <section class="card stack answers" aria-label={words.answers}>
      <h2>{words.answers}</h2>
      <SendForm {...props} />
      <ol class="stack tight told" aria-live="polite" aria-label={words.log}>
        {entries.length === 0 && <li class="small quiet">{words.logEmpty}</li>}
        {entries.map((entry) => (
          <LogLine key={`${entry.at}${entry.title}${entry.description}`} entry={entry} />
        ))}
      </ol>
    </section>
  )
}

function describeEvent(envelope: AnyEnvelope): string {
  if (envelope.EventType === 'messages_update') return words.receipt(envelope.state)
  if (envelope.EventType === 'messages') {
    const { message } = envelope
    return words.message(message.fromMe, message.text || describeKind(message))
  }
  if (envelope.EventType !== 'connection') return ''
  const { status, lastDisconnectReason } = envelope.instance
  return `${texts.states[status]} ${texts.reasons[lastDisconnectReason]}`
}

function SendForm({ client, contact, linked, addEntry }: Props) {
  const [text, setText] = useState<string>(words.hello)
  const [shortWait, setShortWait] = useState(true)
  const [typing, setTyping] = useState(false)
  const [busy, setBusy] = useState(false)
  const sendText = async () => {
    setBusy(true)
    const startedAt = performance.now()
    const at = Date.now()
    const result = await describeSend(() =>
      client.sendText(
        { number: contact, text, ...(typing && { delay: TYPING_MS }) },
        shortWait ? { waitSeconds: WAIT_SECONDS } : {},
      ),
    )
    addEntry({ at, title: 'POST /send/text', ...result, ms: Math.round(performance.now() - startedAt) })
    setBusy(false)
  }
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        void sendText()
      }}
    >
      <Field label={words.sendLabel} value={text} onInput={setText} />
      <Checkbox checked={shortWait} onChange={setShortWait}>
        {words.shortWait}
      </Checkbox>
      <Checkbox
        checked={typing}
        onChange={(on) => {
          setTyping(on)
          // A request that shows typing for longer than it waits is refused.
          if (on) setShortWait(false)
        }}
      >
        {words.typeFirst}
      </Checkbox>
      <div>
        <Button class="main" type="submit" busy={busy} disabled={!linked || !text.trim()}>
          {words.sendConfirm}
        </Button>
      </div>
    </form>
  )
}

/** The outcome of a send for the log. Never rejects. */
async function describeSend(
  send: () => Promise<MessageRecord>,
): Promise<Pick<LogEntry, 'description' | 'status' | 'requestId'>> {
  try {
    const sent = await send()
    return { description: words.sent(sent.status), status: 200 }
  } catch (error) {
    const { description, code, requestId } = describeError(error)
    const status = error instanceof GatewayError ? error.status : 502
    return { description: `${code}: ${description}`, requestId, status }
  }
}

const LogLine = ({ entry: { title, description, status, ms, requestId } }: { entry: LogEntry }) => (
  <li class="told-line">
    <span class="line even">
      <code>{title}</code>
      <span class="line small quiet">
        {ms !== undefined && <span class="count">{ms} ms</span>}
        {status > 0 && <Badge kind={status < 300 ? 'good' : 'bad'}>{status}</Badge>}
      </span>
    </span>
    <span class="small">{description}</span>
    {requestId && (
      <span class="small quiet">
        {texts.requestId} <code>{requestId}</code>
      </span>
    )}
  </li>
)
