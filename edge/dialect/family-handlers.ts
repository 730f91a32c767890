// Handlers whose responses have another shape for clients of the API family.

import type { Context } from 'hono'
import { getRequiredScope, includesScope } from '../../shared/api/admin-scope.ts'
import { routes } from '../../shared/api/api.ts'
import type { GroupRecord } from '../../shared/contract/responses/group-responses.ts'
import { Fault } from '../../shared/fault-table.ts'
import { isGroup, parseNumber } from '../../shared/jid.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import type { AnyHandler } from '../http/serve-route.ts'
import { writeList } from '../http/streamed-body.ts'
import type { EdgeEnv } from '../request-context.ts'
import { MAX_FAILURES } from '../routes/event-routes.ts'
import { listAllGroups } from '../routes/group-routes.ts'
import { findVisibleWebhook, serverWebhookHandlers } from '../routes/server-webhook-routes.ts'
import { requireLoggedIn } from '../routes/session-dispatch.ts'
import { openStream } from '../routes/stream-routes.ts'
import { requireWebhooks, webhookHandlers } from '../routes/webhook-routes.ts'
import { listFailures } from '../store/events/event-queries.ts'
import { listInstancePages } from '../store/instance-list.ts'
import { findSubscription } from '../store/subscription-queries.ts'
import { listFamilyFailures, toFamilyServerWebhook, toFamilyWebhooks } from './family-records.ts'
import { toFamilySpelling } from './family-spelling.ts'
import { pickGroupPage } from './paged-groups.ts'
import { readTokens } from './sealed-tokens.ts'

type FamilyContext = Context<EdgeEnv>

const listWebhooks = async (c: FamilyContext) =>
  toFamilyWebhooks(await findSubscription(c.var.store, c.var.instance.id))

export const getWebhook: AnyHandler = async (c) => {
  requireWebhooks(c)
  return listWebhooks(c)
}

export const configureWebhook: AnyHandler = async (c, input) => {
  await webhookHandlers.configureWebhook(c, input)
  return listWebhooks(c)
}

export const getServerWebhook: AnyHandler = async (c) => {
  await serverWebhookHandlers.getServerWebhook(c)
  return toFamilyServerWebhook(await findVisibleWebhook(c))
}

export const configureServerWebhook: AnyHandler = async (c, input) => {
  await serverWebhookHandlers.configureServerWebhook(c, input)
  return toFamilyServerWebhook(await findVisibleWebhook(c))
}

export const listFailedDeliveries: AnyHandler = async (c) => {
  requireWebhooks(c)
  const { store, instance } = c.var
  const [rows, subscription] = await Promise.all([
    listFailures(store, instance.id, MAX_FAILURES),
    findSubscription(store, instance.id),
  ])
  return listFamilyFailures(c.env, store, {
    instanceId: instance.id,
    instanceName: instance.name,
    subscription,
    rows,
  })
}

/** Shows tokens only to admin tokens that may renew them. */
export const listInstances: AnyHandler = async (c: FamilyContext, { query }) => {
  const { actor, store } = c.var
  const mayReadTokens = includesScope(actor.scope ?? 'read', getRequiredScope(routes.renewTokenById))
  const list = await writeList(addTokens(c, listInstancePages(store, query.companyId), mayReadTokens))
  return c.body(list, 200, { 'content-type': 'application/json' })
}

async function* addTokens(
  c: FamilyContext,
  pages: AsyncGenerator<string>,
  mayReadTokens: boolean,
): AsyncGenerator<string> {
  for await (const page of pages) {
    const instances: { id: string }[] = JSON.parse(`[${page}]`)
    const ids = instances.map(({ id }) => id)
    const tokens = mayReadTokens ? await readTokens(c.env, c.var.store, ids) : new Map<string, string>()
    const records = instances.map((instance) => ({ ...instance, token: tokens.get(instance.id) ?? '' }))
    yield records.map((record) => JSON.stringify(toFamilySpelling(record))).join()
  }
}

export const listGroups: AnyHandler = async (c: FamilyContext, { body }) => {
  const groups: GroupRecord[] = await listAllGroups(c, {
    force: body.force === true,
    participants: body.noParticipants !== true,
  })
  return pickGroupPage(groups, body)
}

export const getInviteLink: AnyHandler = async (c: FamilyContext) => {
  const groupjid = parseNumber(c.req.param('groupjid') ?? '')
  if (!groupjid || !isGroup(groupjid)) throw new Fault('invalid_group')
  const groupInput = { groupjid, getInviteLink: true, force: false }
  const { invite_link: inviteLink } = await dispatchAction(c, requireLoggedIn(c), 'group.info', groupInput)
  return { inviteLink }
}

/** `events`: names separated by commas; all events if it is empty. */
export const streamEvents: AnyHandler = (c: FamilyContext) => {
  const events = (c.req.query('events') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return openStream(c, events.length === 0 || events.includes('all') ? undefined : events)
}
