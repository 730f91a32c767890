// The parts of one gateway: started when their plans are added, stopped in order, also during the start.

import { OperatorError } from '../settings/gateway-settings.ts'
import { type LogOptions, type Part, type PartPlan, startPart } from './part.ts'
import { startReaper } from './reaper.ts'

/** The host stops first, while the edge still takes its reports; the database last. */
const STOP_ORDER = ['session host', 'edge', 'simulator', 'database']

export interface PartSupervisor {
  readonly parts: readonly Part[]
  /** Undefined if there is no such part. */
  getPid(part: string): number | undefined
  /** Resolves when the part answers. Throws a Complaint when it never will, and whenever the crew has been stopped. */
  start(plan: PartPlan): Promise<void>
  /** Stops every part, also those that are still starting. */
  stop(): Promise<void>
}

/** `say` prints one line on the terminal; `revived` is called when a part that died runs again. */
export function createSupervisor(
  printLine: (line: string) => void,
  onRestarted: () => void,
  logs: LogOptions,
): PartSupervisor {
  const reaper = startReaper()
  const parts: Part[] = []
  let stopped = false

  return {
    parts,
    getPid: (name) => parts.find((part) => part.name === name)?.pid || undefined,
    async start(plan) {
      if (stopped) throw new OperatorError('The gateway was stopped before it was ready.')
      const part = startPart(plan, { reaper, logs, printLine, onRestarted })
      parts.push(part)
      await part.started
    },
    async stop() {
      stopped = true
      for (const name of STOP_ORDER) await parts.find((part) => part.name === name)?.stop()
      reaper.stopReaper()
    },
  }
}
