// The handler that reads the audit log in pages.

import { dateTime } from '../../shared/clock.ts'
import type { Handlers } from '../http/serve.ts'
import { listAudit } from '../store/audit.ts'

const milliseconds = (instant: string | undefined) => (instant ? Date.parse(instant) : undefined)

export const auditHandlers = {
  async listAudit(c, { query }) {
    const { since, until, ...filter } = query
    const rows = await listAudit(c.var.store, {
      ...{ ...filter, since: milliseconds(since), until: milliseconds(until) },
    })
    return { entries: rows.map((row) => ({ ...row, at: dateTime(row.at) })) }
  },
} satisfies Partial<Handlers>
