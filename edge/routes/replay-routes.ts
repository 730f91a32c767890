// The handler that delivers events again, with the same ids and bytes.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { createQuotaFault } from '../limits/quotas.ts'

export const replayHandlers = {
  /** The instance's courier does it; there is only one, so there is one replay at a time. */
  async redriveEvents(c, { body }) {
    const { instance } = c.var
    const result = await c.env.runtime.getCourier(instance.id).replayEvents(instance.id, body)
    if (!('refused' in result)) {
      if (result.queued === 0) skipAudit(c)
      return result
    }
    if (result.refused === 'quota_reached') throw createQuotaFault('replays', SECOND)
    throw new Fault(result.refused)
  },
} satisfies Partial<Handlers>
