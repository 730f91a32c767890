// Notifies the courier of an instance. One that cannot be reached is woken by the next tick.

import { withDeadline } from '@msgnet/shared/deadline.ts'
import type { Arrival, PresenceBatch } from '../objects/due-events.ts'
import type { CourierObject } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'

/** Called after new events were stored. */
export const notifyEventsStored = (env: Env, arrival: Arrival): Promise<void> =>
  callCourier(env, arrival.instance, (courier) => courier.onEventsStored(arrival))

export const notifyPresence = (env: Env, batch: PresenceBatch): Promise<void> =>
  callCourier(env, batch.instance, (courier) => courier.onPresence(batch))

/** Called when the instance gets its host, so that the courier is created near that host. */
export const createCourier = (env: Env, instanceId: string, region: string): Promise<void> =>
  callCourier(env, instanceId, (courier) => courier.onEventsStored({ instance: instanceId }), region)

export const notifySubscriptionChanged = (env: Env, instanceId: string): Promise<void> =>
  callCourier(env, instanceId, (courier) => courier.onSubscriptionChanged(instanceId))

/** Wakes the courier and waits until it has delivered what is due, at most so many milliseconds. */
export async function waitForCourier(env: Env, instanceId: string, maxMs: number): Promise<void> {
  const work = callCourier(env, instanceId, (courier) => courier.deliverDue(instanceId))
  await withDeadline(work, maxMs, () => undefined)
}

export const notifyTokenChanged = (env: Env, instanceId: string): Promise<void> =>
  callCourier(env, instanceId, (courier) => courier.onTokenChanged())

export const notifyInstanceDeleted = (env: Env, instanceId: string): Promise<void> =>
  callCourier(env, instanceId, (courier) => courier.onInstanceDeleted())

async function callCourier(
  env: Env,
  instanceId: string,
  work: (courier: CourierObject) => Promise<void>,
  region?: string,
) {
  try {
    await work(env.runtime.getCourier(instanceId, region))
  } catch (error) {
    log(env, 'warn', 'failed to reach courier', { instance: instanceId, error })
  }
}
