// Handlers whose answers have another shape for clients of the API family.

import type { Context } from 'hono'
import { routes } from '../../shared/api/api.ts'
import { scopeOf, suffices } from '../../shared/api/scope.ts'
import type { GroupRecord } from '../../shared/contract/answers/group.ts'
import { Fault } from '../../shared/faults.ts'
import { isGroup, parseNumber } from '../../shared/jid.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import type { AnyHandler } from '../http/serve.ts'
import { writeList } from '../http/streamed-body.ts'
import { FAILURES_SHOWN } from '../routes/events.ts'
import { groupsOf } from '../routes/groups.ts'
import { findVisibleWebhook, serverWebhookHandlers } from '../routes/server-webhook.ts'
import { loggedIn } from '../routes/session-acts.ts'
import { openStream } from '../routes/stream.ts'
import { needWebhooks, webhookHandlers } from '../routes/webhook.ts'
import { listFailures } from '../store/events/events.ts'
import { listInstancePages } from '../store/instance-list.ts'
import { subscriptionOf } from '../store/subscriptions.ts'
import { groupPage } from './groups.ts'
import { theirFailures, theirServerWebhook, theirWebhooks } from './records.ts'
import { spelled } from './spelling.ts'
import { readTokens } from './tokens.ts'

type Here = Context<EdgeEnv>

const webhooks = async (c: Here) => theirWebhooks(await subscriptionOf(c.var.store, c.var.instance.id))

export const getWebhook: AnyHandler = async (c) => {
  needWebhooks(c)
  return webhooks(c)
}

export const configureWebhook: AnyHandler = async (c, given) => {
  await webhookHandlers.configureWebhook(c, given)
  return webhooks(c)
}

export const getServerWebhook: AnyHandler = async (c) => {
  await serverWebhookHandlers.getServerWebhook(c)
  return theirServerWebhook(await findVisibleWebhook(c))
}

export const configureServerWebhook: AnyHandler = async (c, given) => {
  await serverWebhookHandlers.configureServerWebhook(c, given)
  return theirServerWebhook(await findVisibleWebhook(c))
}

export const listFailedDeliveries: AnyHandler = async (c) => {
  needWebhooks(c)
  const { store, instance } = c.var
  const [rows, subscription] = await Promise.all([
    listFailures(store, instance.id, FAILURES_SHOWN),
    subscriptionOf(store, instance.id),
  ])
  return theirFailures(c.env, store, {
    ...{ instanceId: instance.id, instanceName: instance.name, subscription, rows },
  })
}

/** Shows tokens only to admin tokens that may renew them. */
export const listInstances: AnyHandler = async (c: Here, { query }) => {
  const { actor, store } = c.var
  const mayRead = suffices(actor.scope ?? 'read', scopeOf(routes.renewTokenById))
  const list = await writeList(withTokens(c, listInstancePages(store, query.companyId), mayRead))
  return c.body(list, 200, { 'content-type': 'application/json' })
}

async function* withTokens(c: Here, pages: AsyncGenerator<string>, mayRead: boolean): AsyncGenerator<string> {
  for await (const page of pages) {
    const instances: { id: string }[] = JSON.parse(`[${page}]`)
    const ids = instances.map(({ id }) => id)
    const tokens = mayRead ? await readTokens(c.env, c.var.store, ids) : new Map<string, string>()
    const records = instances.map((instance) => ({ ...instance, token: tokens.get(instance.id) ?? '' }))
    yield records.map((record) => JSON.stringify(spelled(record))).join()
  }
}

export const listGroups: AnyHandler = async (c: Here, { body }) => {
  const groups: GroupRecord[] = await groupsOf(c, {
    force: body.force === true,
    participants: body.noParticipants !== true,
  })
  return groupPage(groups, body)
}

export const getInviteLink: AnyHandler = async (c: Here) => {
  const groupjid = parseNumber(c.req.param('groupjid') ?? '')
  if (!groupjid || !isGroup(groupjid)) throw new Fault('invalid_group')
  const asked = { groupjid, getInviteLink: true, force: false }
  const { invite_link: inviteLink } = await act(c, loggedIn(c), 'group.info', asked)
  return { inviteLink }
}

/** `events`: names separated by commas; all events if it is empty. */
export const streamEvents: AnyHandler = (c: Here) => {
  const events = (c.req.query('events') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return openStream(c, events.length === 0 || events.includes('all') ? undefined : events)
}
