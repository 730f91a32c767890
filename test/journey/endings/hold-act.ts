// Requests an act on a device of its own, and holds it in its preparation.

import { createDevice, linkDevice, subscribeReceiver } from '../../device.ts'
import type { Receiver } from '../../receiver.ts'
import type { Seen } from '../../scene.ts'
import { until } from '../../until.ts'
import type { SharedWorld } from '../../world.ts'
import { isHeld, type PreparationRow } from './preparation-rows.ts'
import type { Logged } from './row.ts'

const WITHIN = { within: 40_000 }

let keys = 0

export type Held = Awaited<ReturnType<typeof holdAct>>

/** Resolves when the act has got to its moment, and waits there. */
export async function holdAct(
  { world, receiver }: { world: SharedWorld; receiver: Receiver },
  row: PreparationRow,
) {
  const fresh = await createDevice(world, row.name)
  await subscribeReceiver(fresh, receiver, ['messages_update'])
  const device = await linkDevice(world, fresh, WITHIN.within)
  const { number } = device
  const { path, body, isEffect, effects = 1 } = await row.prepare({ world, device })
  const countLogged = async (matches: (entry: Logged) => boolean) => {
    const { entries } = await world.sim('GET', `/log?number=${number}`)
    return (entries as Logged[]).filter(matches).length
  }
  const countEffects = async () => (isEffect ? countLogged(isEffect) : 0)
  const heldBefore = await countLogged(isHeld(row))
  const effectsBefore = await countEffects()
  if (row.hold !== 'delay')
    await world.sim('POST', '/faults', { kind: 'silent', number, ...row.hold, count: 1 })
  keys += 1
  const key = row.isQuestion ? {} : { 'idempotency-key': `held-${keys}` }
  const request = () => device.caller.post(path, body, key)
  const response = request()
  await until(async () => (await countLogged(isHeld(row))) > heldBefore, WITHIN)
  return {
    device,
    /** The same once more, with the same key. */
    request,
    response,
    /** How many entries of the network's log its effect is. */
    effects,
    /** How often the network got its effect. */
    countNewEffects: async () => (await countEffects()) - effectsBefore,
    async findRecord(): Promise<Seen> {
      const { track_id } = body as { track_id?: string }
      return (await device.caller.post('/message/find', { track_id })).body.messages[0]
    },
  }
}
