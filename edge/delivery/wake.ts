// Calling the courier of an instance. One that cannot be reached is woken again by the minute's tick.

import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'

export const wakeCourier = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.wake(instanceId))

export const tellSubscriptionChanged = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.subscriptionChanged(instanceId))

export const dismissCourier = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.forget())

type CourierStub = ReturnType<Env['COURIER']['get']>

async function call(env: Env, instanceId: string, what: (courier: CourierStub) => Promise<void>) {
  try {
    await what(env.COURIER.get(env.COURIER.idFromName(instanceId)))
  } catch (error) {
    log(env, 'warn', 'courier not reached', { instance: instanceId, reason: reasonOf(error) })
  }
}
