// Events delivered again on demand, with the ids and bytes that they had.

import { SECOND } from '../../shared/clock.ts'
import { Fault } from '../../shared/faults.ts'
import { courierOf } from '../delivery/wake.ts'
import type { Handlers } from '../http/serve.ts'
import { overQuota } from '../quotas.ts'

export const replayHandlers = {
  /** Done by the instance's courier: there is one, and so one replay at a time. */
  async redriveEvents(c, { body }) {
    const { instance } = c.var
    const answer = await courierOf(c.env, instance.id).replay(instance.id, body)
    if (!('refused' in answer)) return answer
    if (answer.refused === 'quota_reached') throw overQuota('replays', SECOND)
    throw new Fault(answer.refused)
  },
} satisfies Partial<Handlers>
