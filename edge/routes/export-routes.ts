// Exports all stored data of an instance as lines of JSON, which are read while they are sent.

import { type ExportedKind, exportedKinds } from '@msgnet/shared/wire/session-actions.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { toFault } from '../http/fault-response.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { streamBody } from '../http/streamed-body.ts'
import { countUse } from '../http/token-rates.ts'
import { log } from '../observability/edge-log.ts'
import { toEventRecord } from '../records/event-record.ts'
import { toInstanceRecord } from '../records/instance-record.ts'
import { hasAskedForPast, toFurtherRecord, toWebhookRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readProxy } from '../sealed/instance-proxy.ts'
import { listEvents } from '../store/events/event-queries.ts'
import { listFurtherOutcomes } from '../store/events/further-replay.ts'
import { listFurtherWebhooks } from '../store/further-webhook-queries.ts'
import { findSubscription } from '../store/subscription-queries.ts'
import { toProxyState } from './proxy-routes.ts'

type Line = { type: string } & Record<string, unknown>

const EVENTS_AT_ONCE = 250
/** Characters that are sent at once. */
const TEXT = 32 * 1024

export const exportHandlers = {
  async exportInstance(c) {
    countUse(c, 'STREAM_RATE')
    // Without a line `end` the export is not whole.
    const logFailure = (error: unknown) => {
      log(c.env, 'warn', 'failed to export instance', { instance: c.var.instance.id, error })
      return toText({ type: 'error', ...toFault(error).body })
    }
    const texts = joinLines(generateLines(c))
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
async function* generateLines(c: Context<EdgeEnv>): AsyncGenerator<Line> {
  const counts: Record<string, number> = {}
  const countLine = (line: Line): Line => {
    counts[line.type] = (counts[line.type] ?? 0) + 1
    return line
  }
  for (const what of c.var.instance.hostId ? exportedKinds : [])
    for await (const row of readHostRows(c, what)) {
      yield countLine({ type: what, [what]: row })
      if ((what === 'message' || what === 'scheduled') && row.type === 'media')
        yield countLine({ type: 'file', file: toFile(row) })
    }
  for await (const line of generateEdgeLines(c)) yield countLine(line)
  yield { type: 'end', counts }
}

async function* readHostRows(
  c: Context<EdgeEnv>,
  what: ExportedKind,
): AsyncGenerator<Record<string, unknown>> {
  for (let after: string | null = ''; after !== null; ) {
    const page: { rows: Record<string, unknown>[]; next: string | null } = await dispatchAction(
      c,
      c.var.instance,
      'session.export',
      { what, after },
      { isPartial: true },
    )
    yield* page.rows
    after = page.next
  }
}

/** The file itself is with the network; `/message/download` fetches it. */
const toFile = ({ messageid, chatid, mediaType, content }: Record<string, unknown>) => {
  const { mimetype = '', fileName = '', fileLength = 0 } = content as Record<string, unknown>
  return { messageid, chatid, mediaType, mimetype, fileName, fileLength }
}

async function* generateEdgeLines(c: Context<EdgeEnv>): AsyncGenerator<Line> {
  const { instance, store } = c.var
  yield { type: 'instance', instance: toInstanceRecord(instance) }
  yield { type: 'proxy', proxy: toProxyState(await readProxy(c.env, store, instance.id)) }
  yield {
    type: 'webhook',
    webhook: toWebhookRecord(await findSubscription(store, instance.id), hasAskedForPast(instance)),
  }
  for (const row of await listFurtherWebhooks(store, instance.id))
    yield { type: 'furtherWebhook', furtherWebhook: toFurtherRecord(row, hasAskedForPast(instance)) }
  for (let afterSeq = 0; ; ) {
    const { rows, hasMore } = await listEvents(store, instance.id, { limit: EVENTS_AT_ONCE, afterSeq })
    const outcomes = await listFurtherOutcomes(
      store,
      rows.map(({ id }) => id),
    )
    for (const row of rows) yield { type: 'event', event: await toEventRecord(c.env, row, outcomes) }
    const last = rows.at(-1)
    if (!last || !hasMore) return
    afterSeq = last.seq
  }
}

const toText = (line: Line): string => `${JSON.stringify(line)}\n`

async function* joinLines(lines: AsyncGenerator<Line>): AsyncGenerator<string> {
  let text = ''
  for await (const line of lines) {
    text += toText(line)
    if (text.length < TEXT) continue
    yield text
    text = ''
  }
  yield text
}

async function* prependFirst(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}
