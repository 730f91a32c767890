// The gateway's side: sends messages, and shows each answer in words beside the faults that caused it.

import { useState } from 'preact/hooks'
import { GatewayError } from '../../client/errors.ts'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { MessageRecord } from '../../shared/contract/responses/message-responses.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Badge, Checkbox, Field } from '../ui/elements.tsx'
import { describeError } from '../ui/error-note.tsx'
import { useEvents } from '../use-events.ts'

const words = texts.laboratory
const WAIT_SECONDS = 3
const TYPING_MS = 5000

export interface LogEntry {
  at: number
  title: string
  description: string
  status: number
  measureMs?: number
  requestId?: string
}

interface Props {
  client: InstanceClient
  contact: string
  linked: boolean
  entries: LogEntry[]
  addEntry: (entry: LogEntry) => void
}

export function GatewayPanel({ client, contact, linked, entries, addEntry }: Props) {
  const [text, setText] = useState<string>(words.hello)
  const [shortWait, setShortWait] = useState(true)
  const [typing, setTyping] = useState(false)
  const [busy, setBusy] = useState(false)
  useEvents(client, (envelope) => {
    const description =
      envelope.EventType === 'messages_update'
        ? words.receipt(envelope.state)
        : envelope.EventType === 'messages'
          ? words.message(envelope.message.fromMe, envelope.message.text)
          : envelope.EventType === 'connection'
            ? `${texts.states[envelope.instance.status]} ${texts.reasons[envelope.instance.lastDisconnectReason]}`
            : ''
    addEntry({ at: Date.now(), title: words.event(envelope.EventType), description, status: 0 })
  })
  const sendText = async () => {
    setBusy(true)
    const began = performance.now()
    const line = { at: Date.now(), title: 'POST /send/text' }
    const measureMs = () => Math.round(performance.now() - began)
    try {
      const options = shortWait ? { waitSeconds: WAIT_SECONDS } : {}
      const sent: MessageRecord = await client.sendText(
        { number: contact, text, ...(typing && { delay: TYPING_MS }) },
        options,
      )
      addEntry({ ...line, description: words.sent(sent.status), status: 200, measureMs: measureMs() })
    } catch (error) {
      const { description, code, requestId } = describeError(error)
      const status = error instanceof GatewayError ? error.status : 502
      addEntry({ ...line, description: `${code}: ${description}`, requestId, status, measureMs: measureMs() })
    }
    setBusy(false)
  }
  return (
    <section class="card stack answers" aria-label={words.answers}>
      <h2>{words.answers}</h2>
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
      <ol class="stack tight told" aria-live="polite" aria-label={words.log}>
        {entries.length === 0 && <li class="small quiet">{words.logEmpty}</li>}
        {entries.map((line) => (
          <li key={`${line.at}${line.title}${line.description}`} class="told-line">
            <span class="line even">
              <code>{line.title}</code>
              <span class="line small quiet">
                {line.measureMs !== undefined && <span class="count">{line.measureMs} ms</span>}
                {line.status > 0 && <Badge kind={line.status < 300 ? 'good' : 'bad'}>{line.status}</Badge>}
              </span>
            </span>
            <span class="small">{line.description}</span>
            {line.requestId && (
              <span class="small quiet">
                {texts.requestId} <code>{line.requestId}</code>
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
