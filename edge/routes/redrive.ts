// Events delivered again on demand, with the ids and bytes that they had.

import { SECOND } from '../../shared/clock.ts'
import type { Redriven } from '../../shared/contract/answers/event.ts'
import type { RedriveRequest } from '../../shared/contract/events-request.ts'
import { Fault } from '../../shared/faults.ts'
import { courierOf } from '../delivery/wake.ts'
import type { Taking } from '../http/body.ts'
import { overQuota } from '../quotas.ts'

/** Done by the instance's courier: there is one, and so one replay at a time. */
export async function redriveEvents(c: Taking<typeof RedriveRequest>) {
  const { instance } = c.var
  const answer = await courierOf(c.env, instance.id).replay(instance.id, c.req.valid('json'))
  if (!('refused' in answer)) return c.json<Redriven>(answer)
  if (answer.refused === 'quota_reached') throw overQuota('replays', SECOND)
  throw new Fault(answer.refused)
}
