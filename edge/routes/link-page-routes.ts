// The page behind a one-time link, and the three requests that it makes. Its secret comes in a header, as it does in no address.

import { connect, sendPasskey as passkey } from '@msgnet/shared/api/instances-chapter.ts'
import type { ConnectRequest } from '@msgnet/shared/contract/instance-requests.ts'
import type { PasskeyRequest } from '@msgnet/shared/contract/passkey-requests.ts'
import type { Connection } from '@msgnet/shared/contract/responses/instance-responses.ts'
import type { LinkState } from '@msgnet/shared/contract/responses/link-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context, Hono } from 'hono'
import { readPage, servePage } from '../http/built-pages.ts'
import { FixedPage } from '../http/fixed-page.ts'
import { createBodyReader, createBodyStep } from '../http/parse-body.ts'
import { auditRoute } from '../http/record-audit.ts'
import { linkRates, requireLink } from '../http/require-link.ts'
import { toConnection } from '../records/instance-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { openPairing } from '../sealed/pairings.ts'
import type { LinkRow } from '../store/link-queries.ts'
import { LINK_PATHS } from './link-routes.ts'
import { PAGE_HEADERS } from './page-routes.ts'
import { connectSession, sendPasskey } from './session-routes.ts'

export const NO_STORE = { 'cache-control': 'no-store' }
export const LINK_PAGE_HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
}
const PATH = LINK_PATHS.device
const requireDevice = requireLink('device')
const respondPage = servePage(async (c) => new FixedPage(await readPage(c, 'link.html'), LINK_PAGE_HEADERS))

/** Opening the page changes nothing, so that the preview of a link in a chat does not start anything. */
export function serveLinkPage(app: Hono<EdgeEnv>): void {
  app.get(PATH, (c) => respondPage(c))
  app.post(`${PATH}/state`, requireDevice, async (c) => {
    const connection = toConnection(await openPairing(c.env, c.var.instance))
    return c.json(toLinkState(c, connection), 200, NO_STORE)
  })
  app.post(
    `${PATH}/connect`,
    auditRoute('instance.connect'),
    requireDevice,
    createBodyStep(createBodyReader(connect.body)),
    async (c) => {
      requireUnused(c.var.link)
      linkRates.countConnect(c.var.link.id)
      const connection = await connectSession(c, { body: c.get('body') as typeof ConnectRequest._output })
      return c.json(toLinkState(c, connection), 200, NO_STORE)
    },
  )
  app.post(
    `${PATH}/passkey`,
    auditRoute('instance.passkey'),
    requireDevice,
    createBodyStep(createBodyReader(passkey.body)),
    async (c) => {
      requireUnused(c.var.link)
      const connection = await sendPasskey(c, { body: c.get('body') as PasskeyRequest })
      return c.json(toLinkState(c, connection), 200, NO_STORE)
    },
  )
}

function requireUnused({ usedAt }: LinkRow): void {
  if (usedAt > 0) throw new Fault('session_conflict', 'A device was linked: the link has ended.')
}

/** Nothing else of the instance is shown. */
function toLinkState(c: Context<EdgeEnv>, { instance, pairing }: Connection): LinkState {
  const { link } = c.var
  const isUsed = link.usedAt > 0
  return {
    name: instance.name,
    isUsed,
    expiresAt: formatDateTime(link.expiresAt),
    status: instance.status,
    reason: instance.lastDisconnectReason,
    // After the link has ended it must not show the codes of another linking.
    ...(pairing && !isUsed && { pairing }),
  }
}
