// The lanes of one instance, one for each of its webhooks, so that none delays another.

import type { EventBatch } from '../objects/due-events.ts'
import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { listActiveLanes } from '../store/events/lane-queue.ts'
import { Lane, type Schedule } from './lane.ts'

export class Lanes {
  readonly #env: Env
  readonly #schedule: Schedule
  readonly #lanes = new Map<number, Lane>()

  constructor(env: Env, schedule: Schedule) {
    this.#env = env
    this.#schedule = schedule
  }

  /** Called with events that were stored. Resolves when none of them is due any more. */
  async add(batch: EventBatch): Promise<void> {
    await Promise.all(batch.webhooks.map((webhook) => this.#findLane(webhook.lane).add(webhook, batch)))
  }

  /** Resolves when nothing more is due at any webhook. */
  async runAll(instanceId: string): Promise<void> {
    try {
      const active = await listActiveLanes(openStore(this.#env), instanceId)
      // A lane with a request on its way stays: another one beside it would send the same event.
      for (const [number, lane] of this.#lanes)
        if (!active.includes(number) && !lane.isRunning) this.#lanes.delete(number)
      await Promise.all(active.map((number) => this.#findLane(number).runAll()))
    } catch (error) {
      await this.#schedule.wakeAfterFailure(error)
    }
  }

  /** A webhook was changed, or other events are due: nothing is sent any more that was read before. */
  endPasses(): void {
    for (const lane of this.#lanes.values()) lane.endPasses()
  }

  #findLane(number: number): Lane {
    const lane = this.#lanes.get(number) ?? new Lane(this.#env, this.#schedule, number)
    this.#lanes.set(number, lane)
    return lane
  }
}
