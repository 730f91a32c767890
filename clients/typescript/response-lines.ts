// Reads responses that arrive line by line: the events of an instance, and its export.

import type { Envelope } from './api-types.ts'
import { GatewayError, GatewayUnreachable, toGatewayError } from './errors.ts'
import { repeatRules } from './repeat-rules.ts'
import { lengthenPause, waitSeconds } from './repeats.ts'
import { type Connect, type Options, redirect } from './request-sender.ts'
import { createTimeLimit } from './time-limit.ts'

export interface StreamFrom {
  /** The `seq` of the last event that was handled; without it only new events come. */
  after?: number
  /** Ends the stream. */
  signal?: AbortSignal
}

/** Resolves once the stream is open; then iterate. `findLastSeq`: so that a stream from now on can be opened again. */
export async function openStream(
  connect: Connect,
  credential: Record<string, string>,
  findLastSeq: () => Promise<number>,
  { after, signal }: StreamFrom = {},
): Promise<AsyncIterable<Envelope>> {
  const last = after ?? (connect.repeats === false ? undefined : await findLastSeq())
  const open = (seq: number | undefined) => {
    const headers = { ...credential, ...(seq !== undefined && { 'last-event-id': String(seq) }) }
    return openLines(connect, '/v1/events/stream', { headers, signal })
  }
  const envelopes = parseEnvelopes(await open(last))
  return connect.repeats === false
    ? envelopes
    : followEvents(connect, open, envelopes, { after: last, signal })
}

/** Goes on after the last event when the stream breaks, without a gap or a repeat. */
async function* followEvents(
  { wait = waitSeconds }: Connect,
  open: (seq: number | undefined) => Promise<AsyncGenerator<string>>,
  opened: AsyncIterable<Envelope>,
  { after, signal }: { after: number | undefined; signal: AbortSignal | undefined },
): AsyncGenerator<Envelope> {
  let envelopes = opened
  let last = after
  let failed = 0
  while (!signal?.aborted) {
    try {
      for await (const envelope of envelopes) {
        failed = 0
        // What is not stored has the number 0.
        if (envelope.seq > 0) last = envelope.seq
        yield envelope
      }
    } catch (error) {
      if (!mayReopen(error)) throw error
    }
    if (signal?.aborted) return
    await wait(lengthenPause(repeatRules.stream.pause, failed), signal)
    failed += 1
    envelopes = reopen(open, last)
  }
}

/** A refusal counts when it is iterated. */
async function* reopen(
  open: (seq: number | undefined) => Promise<AsyncGenerator<string>>,
  last: number | undefined,
): AsyncGenerator<Envelope> {
  yield* parseEnvelopes(await open(last))
}

function mayReopen(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return error instanceof GatewayUnreachable
  const { minStatus, statuses } = repeatRules.stream
  return error.status >= minStatus || (statuses as readonly number[]).includes(error.status)
}

async function* parseEnvelopes(lines: AsyncGenerator<string>): AsyncGenerator<Envelope> {
  for await (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length))
}

/** `type` is the kind of record, and the field of that name holds it. The last line is `end`, with `counts`. */
export type ExportLine = { type: string } & Record<string, unknown>

/** Resolves when the export begins; then iterate. Throws a GatewayUnreachable if it breaks: it is complete only with its `end`. */
export async function openExport(
  connect: Connect & { adminToken: string },
  id: string,
  { requestId, signal }: Omit<Options, 'waitSeconds'> = {},
): Promise<AsyncIterable<ExportLine>> {
  const headers = {
    admintoken: connect.adminToken,
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  }
  const path = `/v1/instances/${encodeURIComponent(id)}/export`
  return parseExportLines(await openLines(connect, path, { headers, signal }))
}

async function* parseExportLines(lines: AsyncGenerator<string>): AsyncGenerator<ExportLine> {
  for await (const text of lines) {
    const line: ExportLine = JSON.parse(text)
    if (line.type === 'error') throw createBrokenExportError(line)
    yield line
    if (line.type === 'end') return
  }
  throw createBrokenExportError('there is no last line')
}

const createBrokenExportError = (cause: unknown) =>
  new GatewayUnreachable('the export broke off', { cause, idempotencyKey: undefined })

interface LineRequest {
  headers: Record<string, string>
  /** Ends the answer. */
  signal?: AbortSignal | undefined
}

/** Resolves with the lines when the answer begins. Throws if it is not a success, breaks off, or is silent for too long. */
async function openLines(
  { baseUrl, fetch = globalThis.fetch }: Connect,
  path: string,
  { headers, signal }: LineRequest,
): Promise<AsyncGenerator<string>> {
  const timeLimit = createTimeLimit(repeatRules.stream.maxSilence * 1000, signal)
  const explain = (cause: unknown): unknown =>
    signal?.aborted
      ? cause
      : new GatewayUnreachable(`GET ${path} had no response`, { cause, idempotencyKey: undefined })
  try {
    const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
      method: 'GET',
      headers: { accept: '*/*;profile=contract', ...headers },
      signal: timeLimit.signal,
      redirect,
    })
    if (response.ok) return readLines(response.body, timeLimit, explain)
    timeLimit.end()
    throw toGatewayError(response, await response.text())
  } catch (error) {
    timeLimit.end()
    throw error instanceof GatewayError ? error : explain(error)
  }
}

async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  timeLimit: ReturnType<typeof createTimeLimit>,
  explain: (cause: unknown) => unknown,
): AsyncGenerator<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      timeLimit.restart()
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    throw explain(error)
  } finally {
    timeLimit.end()
    await reader?.cancel().catch(() => undefined)
  }
}
