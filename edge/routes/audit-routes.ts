// The handler that reads the audit log in pages.

import { formatDateTime } from '@msgnet/shared/date-time.ts'
import type { Handlers } from '../http/serve-route.ts'
import { listAudit } from '../store/audit-queries.ts'

const toMilliseconds = (instant: string | undefined) => (instant ? Date.parse(instant) : undefined)

export const auditHandlers = {
  async listAudit(c, { query }) {
    const { since, until, changes, ...filter } = query
    const rows = await listAudit(c.var.store, {
      ...filter,
      changes: changes === 'true',
      since: toMilliseconds(since),
      until: toMilliseconds(until),
    })
    return { entries: rows.map((row) => ({ ...row, at: formatDateTime(row.at) })) }
  },
} satisfies Partial<Handlers>
