// Calling the courier of an instance. One that cannot be reached is woken again by the minute's tick.

import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'

const AT_ONCE = 32

export const courierOf = (env: Env, instanceId: string) => env.COURIER.get(env.COURIER.idFromName(instanceId))

/** New events were kept. */
export const tellArrived = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.arrived(instanceId))

export const wakeCourier = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.wake(instanceId))

export const tellSubscriptionChanged = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.subscriptionChanged(instanceId))

/** After a change of the global webhook. A few at a time: there may be thousands. */
export async function tellSubscriptionsChanged(env: Env, instanceIds: string[]): Promise<void> {
  for (let i = 0; i < instanceIds.length; i += AT_ONCE) {
    await Promise.all(instanceIds.slice(i, i + AT_ONCE).map((id) => tellSubscriptionChanged(env, id)))
  }
}

export const tellTokenChanged = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.tokenChanged())

export const dismissCourier = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.forget())

type CourierStub = ReturnType<Env['COURIER']['get']>

async function call(env: Env, instanceId: string, what: (courier: CourierStub) => Promise<void>) {
  try {
    await what(courierOf(env, instanceId))
  } catch (error) {
    log(env, 'warn', 'courier not reached', { instance: instanceId, reason: reasonOf(error) })
  }
}
