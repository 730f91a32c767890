// The gateway's side: sends messages, and shows each answer in words beside the faults that caused it.

import { useState } from 'preact/hooks'
import { GatewayError } from '../../client/errors.ts'
import type { InstanceClient } from '../../client/instance.ts'
import type { MessageRecord } from '../../shared/contract/answers/message.ts'
import { useEvents } from '../events.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/act.tsx'
import { Badge, Check, Field } from '../ui/parts.tsx'
import { inWords } from '../ui/trouble.tsx'

const words = texts.laboratory
const WAIT_SECONDS = 3
const TYPING_MS = 5000

export interface LogEntry {
  at: number
  asked: string
  says: string
  status: number
  ms?: number
  requestId?: string
}

interface Props {
  client: InstanceClient
  contact: string
  linked: boolean
  entries: LogEntry[]
  note: (entry: LogEntry) => void
}

export function Answers({ client, contact, linked, entries, note }: Props) {
  const [text, setText] = useState<string>(words.hello)
  const [brief, setBrief] = useState(true)
  const [typing, setTyping] = useState(false)
  const [busy, setBusy] = useState(false)
  useEvents(client, (envelope) => {
    const says =
      envelope.EventType === 'messages_update'
        ? words.receipt(envelope.state)
        : envelope.EventType === 'messages'
          ? words.message(envelope.message.fromMe, envelope.message.text)
          : envelope.EventType === 'connection'
            ? `${texts.states[envelope.instance.status]} ${texts.reasons[envelope.instance.lastDisconnectReason]}`
            : ''
    note({ at: Date.now(), asked: words.event(envelope.EventType), says, status: 0 })
  })
  const send = async () => {
    setBusy(true)
    const began = performance.now()
    const line = { at: Date.now(), asked: 'POST /send/text' }
    const ms = () => Math.round(performance.now() - began)
    try {
      const options = brief ? { waitSeconds: WAIT_SECONDS } : {}
      const sent: MessageRecord = await client.sendText(
        { number: contact, text, ...(typing && { delay: TYPING_MS }) },
        options,
      )
      note({ ...line, says: words.sent(sent.status), status: 200, ms: ms() })
    } catch (error) {
      const { says, code, requestId } = inWords(error)
      const status = error instanceof GatewayError ? error.status : 502
      note({ ...line, says: `${code}: ${says}`, requestId, status, ms: ms() })
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
          void send()
        }}
      >
        <Field label={words.sendLabel} value={text} onInput={setText} />
        <Check checked={brief} onChange={setBrief}>
          {words.brief}
        </Check>
        <Check
          checked={typing}
          onChange={(on) => {
            setTyping(on)
            // A request that shows typing for longer than it waits is refused.
            if (on) setBrief(false)
          }}
        >
          {words.typeFirst}
        </Check>
        <div>
          <Button class="main" type="submit" busy={busy} disabled={!linked || !text.trim()}>
            {words.sendDo}
          </Button>
        </div>
      </form>
      <ol class="stack tight told" aria-live="polite" aria-label={words.told}>
        {entries.length === 0 && <li class="small quiet">{words.nothingTold}</li>}
        {entries.map((line) => (
          <li key={`${line.at}${line.asked}${line.says}`} class="told-line">
            <span class="line even">
              <code>{line.asked}</code>
              <span class="line small quiet">
                {line.ms !== undefined && <span class="count">{line.ms} ms</span>}
                {line.status > 0 && <Badge kind={line.status < 300 ? 'good' : 'bad'}>{line.status}</Badge>}
              </span>
            </span>
            <span class="small">{line.says}</span>
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
