// Exports all stored data of an instance as lines of JSON, which are read while they are sent.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { type ExportedKind, exportedKinds } from '@msgnet/shared/wire/session-actions.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { toFault } from '../http/fault-response.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { streamBody } from '../http/streamed-body.ts'
import { countUse } from '../http/token-rates.ts'
import { PacedTurns } from '../limits/paced-turns.ts'
import { log } from '../observability/edge-log.ts'
import { toEventRecord } from '../records/event-record.ts'
import { toInstanceRecord } from '../records/instance-record.ts'
import { hasAskedForPast, toListedRecord, toWebhookRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readProxy } from '../sealed/instance-proxy.ts'
import { listEvents } from '../store/events/event-queries.ts'
import { listOutcomes } from '../store/events/outcome-queries.ts'
import { listScopedTokens } from '../store/scoped-token-queries.ts'
import { findFirstWebhook, listWebhooks } from '../store/webhook-queries.ts'
import { toProxyState } from './proxy-routes.ts'
import { toScopedTokenRecord } from './scoped-token-routes.ts'

type Line = { type: string } & Record<string, unknown>

const EVENTS_AT_ONCE = 250

/** Each export waits for one page at a time, so there is always room for it. */
const ROOM = Number.POSITIVE_INFINITY
const turns = new PacedTurns('exports', {
  maxUnderWay: 16,
  maxUnderWayOfOne: 1,
  maxWaiting: ROOM,
  maxWaitingOfOne: ROOM,
  costPerMinute: 15 * SECOND,
  maxSavedCost: 3 * SECOND,
})

export const exportHandlers = {
  async exportInstance(c) {
    countUse(c, 'STREAM_RATE')
    // Without a line `end` the export is not whole.
    const logFailure = (error: unknown) => {
      log(c.env, 'warn', 'failed to export instance', { instance: c.var.instance.id, error })
      return toText({ type: 'error', ...toFault(error).body })
    }
    const texts = takeTurns(c.var.instance.id, generatePages(c))
    // If the host cannot be reached, the request is rejected before the response begins.
    const first = await texts.next()
    // Before the response begins: without an entry in the audit log nothing is exported.
    await c.var.store.write(buildAuditEntry(c))
    return c.body(streamBody(prependFirst(first, texts), logFailure), 200, {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="instance-${c.var.instance.id}.ndjson"`,
    })
  },
} satisfies Partial<Handlers>

/** The host's lines come first, so that it has responded before the response begins. */
async function* generatePages(c: Context<EdgeEnv>): AsyncGenerator<Line[]> {
  const counts: Record<string, number> = {}
  const countLines = (lines: Line[]): Line[] => {
    for (const { type } of lines) counts[type] = (counts[type] ?? 0) + 1
    return lines
  }
  for (const what of c.var.instance.hostId ? exportedKinds : [])
    for await (const rows of readHostRows(c, what))
      yield countLines(rows.flatMap((row) => toLines(what, row)))
  for await (const lines of generateEdgePages(c)) yield countLines(lines)
  yield [{ type: 'end', counts }]
}

const toLines = (what: ExportedKind, row: Record<string, unknown>): Line[] => [
  { type: what, [what]: row },
  ...((what === 'message' || what === 'scheduled') && row.type === 'media'
    ? [{ type: 'file', file: toFile(row) }]
    : []),
]

async function* readHostRows(
  c: Context<EdgeEnv>,
  what: ExportedKind,
): AsyncGenerator<Record<string, unknown>[]> {
  for (let after: string | null = ''; after !== null; ) {
    const page: { rows: Record<string, unknown>[]; next: string | null } = await dispatchAction(
      c,
      c.var.instance,
      'session.export',
      { what, after },
      { isPartial: true },
    )
    yield page.rows
    after = page.next
  }
}

/** The file itself is with the network; `/message/download` fetches it. */
const toFile = ({ messageid, chatid, mediaType, content }: Record<string, unknown>) => {
  const { mimetype = '', fileName = '', fileLength = 0 } = content as Record<string, unknown>
  return { messageid, chatid, mediaType, mimetype, fileName, fileLength }
}

async function* generateEdgePages(c: Context<EdgeEnv>): AsyncGenerator<Line[]> {
  const { instance, store } = c.var
  const hasPast = hasAskedForPast(instance)
  const tokens = await listScopedTokens(store, instance.id)
  const others = (await listWebhooks(store, instance.id)).filter(({ position }) => position > 0)
  yield [
    { type: 'instance', instance: toInstanceRecord(instance) },
    { type: 'proxy', proxy: toProxyState(await readProxy(c.env, store, instance.id)) },
    {
      type: 'webhook',
      webhook: toWebhookRecord(await findFirstWebhook(store, instance.id), hasPast, c.env.dialects),
    },
    ...others.map((row) => ({
      type: 'furtherWebhook',
      furtherWebhook: toListedRecord(row, hasPast, c.env.dialects),
    })),
    ...tokens.map((row) => ({ type: 'scopedToken', scopedToken: toScopedTokenRecord(row) })),
  ]
  for (let afterSeq = 0; ; ) {
    const { rows, hasMore } = await listEvents(store, instance.id, { limit: EVENTS_AT_ONCE, afterSeq })
    const outcomes = await listOutcomes(
      store,
      rows.map(({ id }) => id),
    )
    const records = await Promise.all(rows.map((row) => toEventRecord(c.env, row, outcomes)))
    yield records.map((event) => ({ type: 'event', event }))
    const last = rows.at(-1)
    if (!last || !hasMore) return
    afterSeq = last.seq
  }
}

const toText = (line: Line): string => `${JSON.stringify(line)}\n`

/** The texts of the pages, each read and written when it is the turn of the instance. */
async function* takeTurns(instanceId: string, pages: AsyncGenerator<Line[]>): AsyncGenerator<string> {
  const readText = async () => {
    const { value, done } = await pages.next()
    return done ? undefined : (value as Line[]).map(toText).join('')
  }
  try {
    for (;;) {
      const text = await turns.runNext(instanceId, readText)
      if (text === undefined) return
      if (text !== '') yield text
    }
  } finally {
    await pages.return(undefined)
  }
}

async function* prependFirst(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}
