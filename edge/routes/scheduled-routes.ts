// Handlers for messages that wait for their time. The host of the instance has them, connected or not.

import { removeOwnerPrefix } from '@msgnet/shared/contract/message-action-requests.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { requirePlaced } from './session-dispatch.ts'

export const scheduledHandlers = {
  async listScheduled(c, { query }) {
    // Without a host it was never linked.
    const found = c.get('instance').hostId
      ? await dispatchAction(c, requirePlaced(c), 'message.listScheduled', query)
      : { scheduled: [], total: 0, hasMore: false }
    if (found.scheduled.length === 0) skipAudit(c)
    return found
  },

  cancelScheduled(c) {
    const id = removeOwnerPrefix(c.req.param('id') ?? '')
    if (id === '' || id.length > 256) throw new Fault('message_not_found')
    return dispatchAction(c, requirePlaced(c), 'message.cancelScheduled', { id })
  },
} satisfies Partial<Handlers>
