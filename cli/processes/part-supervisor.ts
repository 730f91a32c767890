// The parts of one gateway: each is started when its plan is added, all are stopped in order, also during the start.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { type LogOptions, Part, type PartContext, type PartPlan } from './part.ts'
import { Reaper } from './reaper.ts'

/** The host stops first, while the edge still takes its reports; the database last. */
const STOP_ORDER = ['session host', 'edge', 'simulator', 'database']

export class PartSupervisor {
  readonly parts: Part[] = []
  readonly #context: PartContext
  #stopped = false

  /** `printLine` prints one line on the terminal; `onRestarted` is called when a part that exited runs again. */
  constructor(printLine: (line: string) => void, onRestarted: () => void, logs: LogOptions) {
    this.#context = { reaper: new Reaper(), logs, printLine, onRestarted }
  }

  /** Undefined if there is no such part. */
  getPid(name: string): number | undefined {
    return this.#findPart(name)?.pid || undefined
  }

  /** Resolves when the part answers. Throws an OperatorError when it never will, and when the supervisor was stopped. */
  async start(plan: PartPlan): Promise<void> {
    if (this.#stopped) throw new OperatorError('The gateway was stopped before it was ready.')
    const part = new Part(plan, this.#context)
    this.parts.push(part)
    await part.started
  }

  /** In a laboratory: the network first, so that what becomes due finds it at the same time. */
  async moveTime(ahead: number): Promise<void> {
    for (const name of STOP_ORDER.toReversed()) await this.#findPart(name)?.moveTime(ahead)
  }

  /** Stops every part, also those that are still starting. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const name of STOP_ORDER) await this.#findPart(name)?.stop()
    this.#context.reaper.stop()
  }

  #findPart(name: string): Part | undefined {
    return this.parts.find((part) => part.name === name)
  }
}
