// The page with the webhooks of one instance, for who receives them, and what it asks for: health, failures, a test, a replay.

import { ReplayRequest } from '@msgnet/shared/contract/replay-request.ts'
import type { PortalState, PortalWebhook } from '@msgnet/shared/contract/responses/link-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { toDestination } from '../delivery/webhook-secrets.ts'
import { readPage, servePage } from '../http/built-pages.ts'
import { FixedPage } from '../http/fixed-page.ts'
import { createBodyReader, createBodyStep } from '../http/parse-body.ts'
import { auditRoute } from '../http/record-audit.ts'
import { requireLink } from '../http/require-link.ts'
import { hasAskedForPast, stripQuery, toListedRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { type ListedWebhook, listWebhooks } from '../store/webhook-queries.ts'
import { LINK_PAGE_HEADERS, NO_STORE } from './link-page-routes.ts'
import { LINK_PATHS } from './link-routes.ts'
import { replayHandlers } from './replay-routes.ts'
import { requireWebhooks } from './webhook-routes.ts'
import { sendTest } from './webhook-test-routes.ts'
import { loadFailures, requireWebhook } from './webhooks-by-id-routes.ts'

const PATH = LINK_PATHS.webhooks
const respondPage = servePage(async (c) => new FixedPage(await readPage(c, 'portal.html'), LINK_PAGE_HEADERS))
const requirePortal = requireLink('webhooks')

const OneWebhook = z.object({ webhookId: z.guid() })
const Replay = z.object({ webhookId: z.guid(), ids: ReplayRequest.shape.ids })
const parseOne = createBodyStep(createBodyReader({ schema: OneWebhook, samples: {} }))
const parseReplay = createBodyStep(createBodyReader({ schema: Replay, samples: {} }))
const readBody = <Body>(c: Context<EdgeEnv>, _: z.ZodType<Body>) => c.get('body') as Body

/** Payloads, settings and everything else of the instance are not shown here. */
export function servePortal(app: Hono<EdgeEnv>): void {
  app.get(PATH, (c) => respondPage(c))
  app.post(`${PATH}/state`, requirePortal, async (c) => c.json(await readState(c), 200, NO_STORE))
  app.post(`${PATH}/failures`, requirePortal, parseOne, async (c) => {
    const webhook = await requireWebhook(c, readBody(c, OneWebhook).webhookId)
    return c.json({ errors: await loadFailures(c, webhook) }, 200, NO_STORE)
  })
  app.post(`${PATH}/test`, requirePortal, parseOne, async (c) => {
    const webhook = await requireWebhook(c, readBody(c, OneWebhook).webhookId)
    return c.json(await sendTest(c, toDestination(webhook)), 200, NO_STORE)
  })
  app.post(`${PATH}/replay`, auditRoute('events.replay'), requirePortal, parseReplay, async (c) => {
    const { webhookId, ids } = readBody(c, Replay)
    await requireWebhook(c, webhookId)
    const body = { webhookId, ...(ids ? { ids } : { status: 'dead' as const }) }
    return c.json(await replayHandlers.redriveEvents(c, { body, query: {} }), 200, NO_STORE)
  })
}

async function readState(c: Context<EdgeEnv>): Promise<PortalState> {
  requireWebhooks(c)
  const { instance, store, link } = c.var
  const rows = await listWebhooks(store, instance.id)
  return {
    name: instance.name,
    expiresAt: formatDateTime(link.expiresAt),
    webhooks: rows.map((row) => toPortalWebhook(c, row)),
  }
}

function toPortalWebhook(c: Context<EdgeEnv>, row: ListedWebhook): PortalWebhook {
  const { id, first, url, events, format, enabled, deliveryStatus } = toListedRecord(
    row,
    hasAskedForPast(c.var.instance),
    c.env.dialects,
  )
  const inherited = row.mode === 'inherited'
  return { id, first, url: stripQuery(url), events, format, enabled, deliveryStatus, inherited }
}
