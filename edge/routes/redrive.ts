// Events delivered again on demand, with the ids and bytes that they had.

import type { Redriven } from '../../shared/contract/answers/event.ts'
import type { RedriveRequest } from '../../shared/contract/events-request.ts'
import { wakeCourier } from '../delivery/wake.ts'
import type { Taking } from '../http/body.ts'
import { countSelected, redrive } from '../store/redrive.ts'

export async function redriveEvents(c: Taking<typeof RedriveRequest>) {
  const { dryRun, ...selection } = c.req.valid('json')
  const { store, instance } = c.var
  const matched = await countSelected(store, instance.id, selection)
  const queued = dryRun || matched === 0 ? 0 : await redrive(store, instance.id, selection)
  if (queued > 0) await wakeCourier(c.env, instance.id)
  return c.json<Redriven>({ matched, queued })
}
