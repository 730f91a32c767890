// Calls the courier of an instance. One that cannot be reached is woken by the next tick.

import { withDeadline } from '../../shared/deadline.ts'
import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { CourierObject } from '../objects.ts'
import type { Arrival } from '../store/events/due.ts'

/** Called after new events were stored. */
export const notifyArrived = (env: Env, { instance, handed }: Arrival): Promise<void> =>
  call(env, instance, (courier) => courier.arrived(instance, handed))

/** Called when the instance gets its host, so that the courier is created near that host. */
export const makeCourier = (env: Env, instanceId: string, region: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.arrived(instanceId), region)

export const notifySubscriptionChanged = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.subscriptionChanged(instanceId))

/** Wakes the courier and waits until it has delivered what is due, at most so many milliseconds. */
export async function awaitCourier(env: Env, instanceId: string, atMost: number): Promise<void> {
  const work = call(env, instanceId, (courier) => courier.work(instanceId))
  await withDeadline(work, atMost, () => undefined)
}

export const notifyTokenChanged = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.tokenChanged())

export const dismissCourier = (env: Env, instanceId: string): Promise<void> =>
  call(env, instanceId, (courier) => courier.forget())

async function call(
  env: Env,
  instanceId: string,
  what: (courier: CourierObject) => Promise<void>,
  region?: string,
) {
  try {
    await what(env.runtime.courier(instanceId, region))
  } catch (error) {
    log(env, 'warn', 'courier not reached', { instance: instanceId, reason: reasonOf(error) })
  }
}
