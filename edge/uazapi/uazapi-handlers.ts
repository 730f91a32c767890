// Handlers whose responses have another shape for clients of uazapi.

import { routes } from '@msgnet/shared/api/api.ts'
import { getRequiredScope, includesScope } from '@msgnet/shared/contract/admin-scope.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { isGroup, parseNumber } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { takeListTurns } from '../http/list-turns.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { AnyHandler } from '../http/serve-route.ts'
import { joinWhole, sendParts, writeList } from '../http/streamed-body.ts'
import { isUuid } from '../http/uuid.ts'
import { listInstancePages } from '../records/instance-list.ts'
import { toInstanceRecord } from '../records/instance-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { respondWithContacts } from '../routes/contact-routes.ts'
import { listGroupPages, respondWithGroups } from '../routes/group-routes.ts'
import { limitHandlers } from '../routes/limit-routes.ts'
import { findVisibleWebhook, serverWebhookHandlers } from '../routes/server-webhook-routes.ts'
import { requireLoggedIn } from '../routes/session-dispatch.ts'
import { openStream } from '../routes/stream-routes.ts'
import { readLeaseMs } from '../settings/env.ts'
import { findInstanceById } from '../store/instance-queries.ts'
import { addListedFields, buildFieldWrites, type InstanceRecord } from './instance-fields.ts'
import { writeGroupPage } from './paged-groups.ts'
import { readTokens } from './sealed-tokens.ts'
import { toUazapiServerWebhook } from './uazapi-records.ts'
import { toUazapiSpelling } from './uazapi-spelling.ts'

type UazapiContext = Context<EdgeEnv>

export const getServerWebhook: AnyHandler = async (c) => {
  await serverWebhookHandlers.getServerWebhook(c)
  return toUazapiServerWebhook(await findVisibleWebhook(c))
}

export const configureServerWebhook: AnyHandler = async (c, input) => {
  const { dropped } = await serverWebhookHandlers.configureServerWebhook(c, input)
  return { ...toUazapiServerWebhook(await findVisibleWebhook(c)), ...(dropped && { dropped }) }
}

/** What the body leaves out stays. */
export const updateAdminFields: AnyHandler = async (c: UazapiContext, { body: { id, ...fields } }) => {
  const { store } = c.var
  const instance = isUuid(id) ? await findInstanceById(store, id.toLowerCase()) : undefined
  if (!instance) throw new Fault('instance_not_found')
  const changes = buildFieldWrites(store, instance.id, fields)
  if (changes.length === 0) skipAudit(c)
  else await store.write([...changes, ...buildAuditEntry(c, { target: instance.id })])
  return toInstanceRecord(instance)
}

/** Shows tokens only to admin tokens that may renew them. */
export const listInstances: AnyHandler = async (c: UazapiContext, { query }) => {
  const { actor, store } = c.var
  const mayReadTokens = includesScope(actor.scope ?? 'read', getRequiredScope(routes.renewTokenById))
  const pages = takeListTurns(
    c,
    addTokens(c, listInstancePages(store, query.companyId, readLeaseMs(c.env)), mayReadTokens),
  )
  const list = await writeList(pages, joinWhole)
  return c.body(list, 200, { 'content-type': 'application/json' })
}

async function* addTokens(
  c: UazapiContext,
  pages: AsyncGenerator<string>,
  mayReadTokens: boolean,
): AsyncGenerator<string> {
  for await (const page of pages) {
    const instances: InstanceRecord[] = JSON.parse(`[${page}]`)
    await addListedFields(c.var.store, instances)
    const ids = instances.map(({ id }) => id)
    const tokens = mayReadTokens ? await readTokens(c.env, c.var.store, ids) : new Map<string, string>()
    const records = instances.map((instance) => ({ ...instance, token: tokens.get(instance.id) ?? '' }))
    yield records.map((record) => JSON.stringify(toUazapiSpelling(record))).join()
  }
}

/** One page, by the number of groups. `convert`: to the form of the response. */
export const createGroupLister =
  (convert: (group: GroupRecord) => unknown): AnyHandler =>
  async (c: UazapiContext, { body }) => {
    const input = { force: body.force === true, participants: body.noParticipants !== true }
    const parts = writeGroupPage(listGroupPages(c, input), body, convert)
    return c.body(await sendParts(parts), 200, { 'content-type': 'application/json' })
  }

export const listAllGroups: AnyHandler = (c: UazapiContext, { query }) =>
  respondWithGroups(c, query, toUazapiSpelling)

export const listContacts: AnyHandler = (c: UazapiContext) => respondWithContacts(c, toUazapiSpelling)

/** With the fields by which programs of uazapi decide whether they may write to new people. */
export const getMessageLimits: AnyHandler = async (c: UazapiContext) => {
  const limits = await limitHandlers.getLimits(c)
  const { reachout_timelock: lock, new_chat_cap: cap } = limits
  return {
    ...limits,
    can_send_new_messages: !lock.active && !cap?.active,
    new_chat_message_capping: {
      // Whether the network has sent it.
      available: cap !== null,
      capping_status: cap?.active ? 'CAPPED' : 'NONE',
      used_quota: cap?.used ?? 0,
      total_quota: cap?.total ?? 0,
      cycle_end: cap?.until ? formatDateTime(cap.until) : '',
    },
  }
}

export const getInviteLink: AnyHandler = async (c: UazapiContext) => {
  const groupjid = parseNumber(c.req.param('groupjid') ?? '')
  if (!groupjid || !isGroup(groupjid)) throw new Fault('invalid_group')
  const groupInput = { groupjid, getInviteLink: true, force: false }
  const { invite_link: inviteLink } = await dispatchAction(c, requireLoggedIn(c), 'group.info', groupInput)
  return { inviteLink }
}

/** `events`: names separated by commas; all events if it is empty. */
export const streamEvents: AnyHandler = (c: UazapiContext) => {
  const events = (c.req.query('events') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return openStream(c, events.length === 0 || events.includes('all') ? undefined : events)
}
