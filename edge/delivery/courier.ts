// The courier of one instance: takes its due events to the receiver. All it must remember is in the database.

import { DurableObject } from 'cloudflare:workers'
import { SECOND } from '../../shared/clock.ts'
import { coalesce } from '../../shared/coalesce.ts'
import type { ReplayRequest } from '../../shared/contract/events-request.ts'
import { type MeterState, makeMeter } from '../../shared/meter.ts'
import { makeDeadlines } from '../deadlines.ts'
import type { Env, ObjectEnv } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { CourierObject } from '../objects.ts'
import { webhookTests } from '../quotas.ts'
import type { Queue } from '../store/deliveries.ts'
import type { Handed } from '../store/due.ts'
import { Arrivals } from './arrivals.ts'
import { drainQueue } from './drain.ts'
import { replay } from './replay.ts'
import { Streams } from './streams.ts'

/** Where the meter of webhook tests is kept. */
const TESTS = 'tests'
/** When the database failed us. */
const TRY_AGAIN_IN = 5 * SECOND

export class Courier extends DurableObject<ObjectEnv> implements CourierObject {
  #instanceId = ''
  #replaying = false
  /** The alarm that is set, if any. */
  #alarmAt: number | undefined
  /** What an alarm needs to know is stored, and what was set before this life of the object is known. */
  #known: Promise<void> | undefined
  readonly #arrivals = new Arrivals<Handed>()
  // Each by itself, so that a receiver that hangs on what failed before does not hold back what is new.
  readonly #ordered = coalesce(() => this.#drain('ordered'))
  readonly #retries = coalesce(() => this.#drain('retries'))
  readonly #streams = new Streams(this.env)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, after: makeDeadlines() })
  }

  async wake(instanceId: string): Promise<void> {
    void this.#begin(instanceId)
  }

  async work(instanceId: string): Promise<void> {
    await this.#begin(instanceId)
  }

  async arrived(instanceId: string, handed?: Handed): Promise<void> {
    this.#instanceId = instanceId
    this.#streams.wake()
    this.#arrivals.add(this.#replaying ? undefined : handed, Date.now())
    this.ctx.waitUntil(this.#ordered.run())
  }

  async subscriptionChanged(instanceId: string): Promise<void> {
    this.#arrivals.changed(Date.now())
    void this.#begin(instanceId)
  }

  /** Kept on disk: the object is forgotten when it is idle, and its caller may wait for that. */
  async countTest(): Promise<number> {
    const tests = makeMeter(webhookTests, Date.now, await this.ctx.storage.get<MeterState>(TESTS))
    const wait = tests.take()
    if (wait === 0) await this.ctx.storage.put(TESTS, tests.state)
    return wait
  }

  async replay(instanceId: string, request: ReplayRequest) {
    if (this.#replaying) return { refused: 'quota_reached' as const }
    this.#replaying = true
    const answer = await replay(this.env, instanceId, request).finally(() => {
      this.#replaying = false
      // What was done with is due again.
      this.#arrivals.changed(Date.now())
    })
    if ('queued' in answer && answer.queued > 0) void this.#begin(instanceId)
    return answer
  }

  async tokenChanged(): Promise<void> {
    this.#streams.wake()
  }

  /** Opens a stream of the instance's events. */
  override async fetch(request: Request): Promise<Response> {
    return this.#streams.open(request)
  }

  override async alarm(): Promise<void> {
    const instanceId = await this.ctx.storage.get<string>('instance')
    if (!instanceId) return
    this.#instanceId = instanceId
    this.#alarmAt = undefined
    await this.#runAll()
  }

  async forget(): Promise<void> {
    this.#arrivals.changed(Date.now())
    this.#instanceId = ''
    this.#alarmAt = undefined
    this.#known = undefined
    this.#streams.wake()
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  #begin(instanceId: string): Promise<void> {
    this.#instanceId = instanceId
    const done = this.#runAll()
    // Whoever asked need not stay for it.
    this.ctx.waitUntil(done)
    return done
  }

  async #runAll(): Promise<void> {
    this.#arrivals.readNext()
    await Promise.all([this.#ordered.run(), this.#retries.run()])
  }

  async #drain(queue: Queue): Promise<void> {
    if (!this.#instanceId) return
    try {
      const next = await drainQueue(this.env, this.#instanceId, queue, this.#arrivals)
      if (next !== undefined) await this.#comeBack(next)
    } catch (error) {
      this.#arrivals.readNext()
      log(this.env, 'error', 'courier failed', { instance: this.#instanceId, reason: reasonOf(error) })
      await this.#comeBack(Date.now() + TRY_AGAIN_IN)
    }
  }

  /** There is one alarm: the soonest. */
  async #comeBack(at: number): Promise<void> {
    if (!this.#instanceId) return
    this.#known ??= this.#prepare(this.#instanceId).catch((error) => {
      this.#known = undefined
      throw error
    })
    await this.#known
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
    this.#alarmAt = at
    await this.ctx.storage.setAlarm(at)
  }

  /** Not before the first alarm: an object that only delivers needs no storage. */
  async #prepare(instanceId: string): Promise<void> {
    this.#alarmAt ??= (await this.ctx.storage.getAlarm()) ?? undefined
    // An alarm knows the object only by its hash.
    await this.ctx.storage.put('instance', instanceId)
  }
}
