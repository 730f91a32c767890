// Handlers by which operators create, list and delete one-time links.

import type { LinkPurpose } from '@msgnet/shared/contract/link-requests.ts'
import type { LinkRecord } from '@msgnet/shared/contract/responses/link-responses.ts'
import { formatDateTime, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { isUuid } from '../http/uuid.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readPublicOrigin } from '../settings/env.ts'
import { deleteLink, insertLink, type LinkRow, listUsableLinks } from '../store/link-queries.ts'

/** Where the page for each purpose is. */
export const LINK_PATHS = { device: '/link', webhooks: '/portal' } as const satisfies Record<
  LinkPurpose,
  string
>

export const linkHandlers = {
  async createLink(c, { body }) {
    const { instance, store } = c.var
    const { purpose, expiresIn, language = '' } = body
    if (purpose === 'device' && instance.jid !== '')
      throw new Fault('session_conflict', 'The instance is linked already.')
    const secret = createToken(purpose === 'device' ? 'link' : 'portal')
    const createdAt = Date.now()
    const row: LinkRow = {
      id: crypto.randomUUID(),
      instanceId: instance.id,
      secretHash: await hashSha256(secret),
      purpose,
      language,
      createdAt,
      expiresAt: createdAt + expiresIn * SECOND,
      usedAt: 0,
    }
    await store.write([insertLink(store, row), ...buildAuditEntry(c)])
    return { ...toLinkRecord(row), url: formatUrl(c, secret, row) }
  },

  async listLinks(c) {
    const rows = await listUsableLinks(c.var.store, c.var.instance.id)
    return { links: rows.map(toLinkRecord) }
  },

  async deleteLink(c) {
    const { instance, store } = c.var
    const id = c.req.param('linkId') ?? ''
    if (!isUuid(id)) throw new Fault('invalid_id', 'linkId must be a UUID.')
    const [ended] = await store.write([
      deleteLink(store, instance.id, id.toLowerCase()),
      ...buildAuditEntry(c, { ifChanged: true }),
    ])
    if (ended?.rowsAffected !== 1) throw new Fault('link_not_found')
    return { response: 'Link deleted' }
  },
} satisfies Partial<Handlers>

const toLinkRecord = ({ id, purpose, language, createdAt, expiresAt }: LinkRow): LinkRecord => ({
  id,
  purpose,
  language,
  createdAt: formatDateTime(createdAt),
  expiresAt: formatDateTime(expiresAt),
})

/** The secret stands in the fragment: no browser sends that to a server, in no request line, referrer or preview. */
function formatUrl(
  c: Context<EdgeEnv>,
  secret: string,
  { purpose, language }: Pick<LinkRow, 'purpose' | 'language'>,
): string {
  const url = new URL(LINK_PATHS[purpose], readPublicOrigin(c.env) ?? c.req.url)
  if (language) url.searchParams.set('language', language)
  url.hash = secret
  return url.href
}
