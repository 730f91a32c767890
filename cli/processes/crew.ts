// The parts of one gateway: started when their plans are added, stopped in order, also during the start.

import { Complaint } from '../settings/settings.ts'
import { type LogTerms, type Part, type PartPlan, startPart } from './part.ts'
import { startReaper } from './reaper.ts'

/** The host stops first, while the edge still takes its reports; the database last. */
const STOP_ORDER = ['session host', 'edge', 'simulator', 'database']

export interface Crew {
  readonly parts: readonly Part[]
  /** Undefined if there is no such part. */
  pid(part: string): number | undefined
  /** Resolves when the part answers. Throws a Complaint when it never will, and whenever the crew has been stopped. */
  start(plan: PartPlan): Promise<void>
  /** Stops every part, also those that are still starting. */
  stop(): Promise<void>
}

/** `say` prints one line on the terminal; `revived` is called when a part that died runs again. */
export function makeCrew(say: (line: string) => void, revived: () => void, logs: LogTerms): Crew {
  const reaper = startReaper()
  const parts: Part[] = []
  let stopped = false

  return {
    parts,
    pid: (name) => parts.find((part) => part.name === name)?.pid || undefined,
    async start(plan) {
      if (stopped) throw new Complaint('The gateway was stopped before it was ready.')
      const part = startPart(plan, { reaper, logs, say, revived })
      parts.push(part)
      await part.up
    },
    async stop() {
      stopped = true
      for (const name of STOP_ORDER) await parts.find((part) => part.name === name)?.stop()
      reaper.dismiss()
    },
  }
}
