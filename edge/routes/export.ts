// Exports all stored data of an instance as lines of JSON, which are read while they are sent.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import { type Exported, exported } from '../../shared/wire/actions.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import { auditOf } from '../http/audit.ts'
import { asFault } from '../http/faults.ts'
import type { Handlers } from '../http/serve.ts'
import { streamBody } from '../http/streamed-body.ts'
import { countUse } from '../http/token-rates.ts'
import { log, reasonOf } from '../log.ts'
import { proxyOf } from '../proxies.ts'
import { eventRecord } from '../records/event.ts'
import { instanceRecord } from '../records/instance.ts'
import { subscriptionRecord } from '../records/subscription.ts'
import { listEvents } from '../store/events/events.ts'
import { subscriptionOf } from '../store/subscriptions.ts'
import { shownProxy } from './proxy.ts'

type Line = { type: string } & Record<string, unknown>

const EVENTS_AT_ONCE = 250
/** Characters that are sent at once. */
const TEXT = 32 * 1024

export const exportHandlers = {
  async exportInstance(c) {
    countUse(c, 'STREAM_RATE')
    // Without a line `end` the export is not whole.
    const failed = (error: unknown) => {
      log(c.env, 'warn', 'export broke off', { instance: c.var.instance.id, reason: reasonOf(error) })
      return toText({ type: 'error', ...asFault(error).body })
    }
    const texts = joinLines(linesOf(c))
    // If the host cannot be asked, the request is refused before the answer begins.
    const first = await texts.next()
    // Before the answer begins: without an entry in the audit log nothing is exported.
    await c.var.store.write(auditOf(c))
    return c.body(streamBody(following(first, texts), failed), 200, {
      ...{ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
      'content-disposition': `attachment; filename="instance-${c.var.instance.id}.ndjson"`,
    })
  },
} satisfies Partial<Handlers>

/** The host's lines come first, so that it has answered before the answer begins. */
async function* linesOf(c: Context<EdgeEnv>): AsyncGenerator<Line> {
  const counts: Record<string, number> = {}
  const counted = (line: Line): Line => {
    counts[line.type] = (counts[line.type] ?? 0) + 1
    return line
  }
  const missing: Exported[] = []
  for (const what of c.var.instance.hostId ? exported : []) {
    try {
      for await (const row of hostRows(c, what)) {
        yield counted({ type: what, [what]: row })
        if (what === 'message' && row.type === 'media') yield counted({ type: 'file', file: fileOf(row) })
      }
    } catch (error) {
      if (!isUnread(error)) throw error
      missing.push(what)
    }
  }
  for await (const line of edgeLines(c)) yield counted(line)
  yield { type: 'end', counts, ...(missing.length > 0 && { missing }) }
}

/** A host of an earlier version refuses a kind that it does not know, because edges are upgraded before their hosts. */
const isUnread = (error: unknown) => error instanceof Fault && error.fault === 'invalid_body'

async function* hostRows(c: Context<EdgeEnv>, what: Exported): AsyncGenerator<Record<string, unknown>> {
  for (let after: string | null = ''; after !== null; ) {
    const page: { rows: Record<string, unknown>[]; next: string | null } = await act(
      c,
      c.var.instance,
      'session.export',
      { what, after },
      { inParts: true },
    )
    yield* page.rows
    after = page.next
  }
}

/** The file itself is with the network; `/message/download` fetches it. */
const fileOf = ({ messageid, chatid, mediaType, content }: Record<string, unknown>) => {
  const { mimetype = '', fileName = '', fileLength = 0 } = content as Record<string, unknown>
  return { messageid, chatid, mediaType, mimetype, fileName, fileLength }
}

async function* edgeLines(c: Context<EdgeEnv>): AsyncGenerator<Line> {
  const { instance, store } = c.var
  yield { type: 'instance', instance: instanceRecord(instance) }
  yield { type: 'proxy', proxy: shownProxy(await proxyOf(c.env, store, instance.id)) }
  yield { type: 'webhook', webhook: subscriptionRecord(await subscriptionOf(store, instance.id)) }
  for (let afterSeq = 0; ; ) {
    const rows = await listEvents(store, instance.id, { limit: EVENTS_AT_ONCE, afterSeq })
    const last = rows.at(-1)
    if (!last) return
    for (const row of rows) yield { type: 'event', event: await eventRecord(c.env, row) }
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

async function* following(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (first.done) return
  yield first.value
  yield* rest
}
