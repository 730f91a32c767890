// The tool that waits for a message: it reads the stream of events, which sleeps until something is stored, so nothing is polled.

import type { Envelope } from '@msgnet/shared/contract/event-envelopes.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { parseNumber } from '@msgnet/shared/jid.ts'
import { toCommonForm } from '@msgnet/shared/number-spellings.ts'
import * as z from 'zod'
import { setTimerDeadline } from '../runtime/deadlines.ts'

const WaitInput = z.object({
  number: z.string().nullish(),
  afterSeq: z.int().min(0).nullish(),
  seconds: z.int().min(1).max(limits.maxMessageWaitSeconds).nullish(),
})

interface Caller {
  /** Serves a request to a route with the tokens of the call. */
  sendRequest(path: string, headers: Record<string, string>): Response | Promise<Response>
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal
}

/** Returns the messages, or what refused to tell them. */
export async function waitForMessage(
  { sendRequest, signal }: Caller,
  input: Record<string, unknown>,
): Promise<Response> {
  const { number, afterSeq: givenSeq, seconds } = parseInput(input)
  const chat = number && parseNumber(number)
  if (number && !chat) throw new Fault('invalid_number')
  const newest = givenSeq ?? (await findNewestSeq(sendRequest))
  if (newest instanceof Response) return newest
  const response = await sendRequest('/v1/events/stream', {
    'last-event-id': String(newest),
    accept: '*/*;profile=contract',
  })
  if (!response.ok || !response.body) return response
  const reader = response.body.getReader()
  // To cancel the reader ends the read that waits, on one engine with an error.
  const stopped = Promise.withResolvers<{ done: true; value: undefined }>()
  const stopReading = () => stopped.resolve({ done: true, value: undefined })
  const read = () => Promise.race([reader.read(), stopped.promise])
  const cancelDeadline = setTimerDeadline((seconds ?? limits.maxMessageWaitSeconds) * SECOND, stopReading)
  signal.addEventListener('abort', stopReading)
  try {
    return Response.json(await readUntilMatch(read, newest, (message) => !chat || isWith(message, chat)))
  } finally {
    cancelDeadline()
    signal.removeEventListener('abort', stopReading)
    await reader.cancel()
  }
}

function parseInput(input: Record<string, unknown>) {
  const parsed = WaitInput.safeParse(input, issueMessages)
  if (!parsed.success) throw new Fault('invalid_query', describeFirstIssue(parsed.error))
  return parsed.data
}

/** From here on, if the caller does not say where it was. */
async function findNewestSeq(sendRequest: Caller['sendRequest']): Promise<number | Response> {
  const response = await sendRequest('/v1/events?limit=1&payload=false', { accept: '*/*;profile=contract' })
  if (!response.ok) return response
  const { events } = (await response.json()) as { events: { seq: number }[] }
  return events[0]?.seq ?? 0
}

/** `afterSeq` is the last event that was seen, whatever it was, so that the next call goes on behind it. */
async function readUntilMatch(
  read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>,
  from: number,
  matches: (message: MessageRecord) => boolean,
) {
  const decoder = new TextDecoder()
  const messages: MessageRecord[] = []
  let afterSeq = from
  let rest = ''
  while (messages.length === 0) {
    const { done, value } = await read()
    if (done) break
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue
      const envelope: Envelope = JSON.parse(line.slice('data: '.length))
      afterSeq = Math.max(afterSeq, envelope.seq)
      if (envelope.EventType !== 'messages') continue
      if (!envelope.message.fromMe && matches(envelope.message)) messages.push(envelope.message)
    }
  }
  return { messages, afterSeq }
}

const isWith = ({ chatid, chatlid, isGroup, sender_pn, sender_lid }: MessageRecord, chat: string): boolean =>
  [chatid, chatlid, ...(isGroup ? [] : [sender_pn, sender_lid])].some(
    (id) => toCommonForm(id) === toCommonForm(chat),
  )
