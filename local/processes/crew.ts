// The parts of one gateway: started as plans come, stopped in order however far the start has come.

import { Complaint } from '../settings/settings.ts'
import { type Part, type PartPlan, startPart } from './part.ts'
import { startReaper } from './reaper.ts'

/** The host first, while the edge still takes what it has to report; the database last. */
const STOP_ORDER = ['session host', 'edge', 'simulator', 'database']

export interface Crew {
  readonly parts: readonly Part[]
  /** Undefined where there is no such part. */
  pid(part: string): number | undefined
  /** Resolves when the part answers. Throws a Complaint when it never will, and whenever the crew has been stopped. */
  start(plan: PartPlan): Promise<void>
  /** Ends every part, those that are still starting too. */
  stop(): Promise<void>
}

/** `say` takes one line for whoever looks at the terminal; `revived` is called when a part that died runs again. */
export function makeCrew(say: (line: string) => void, revived: () => void): Crew {
  const reaper = startReaper()
  const parts: Part[] = []
  let stopped = false

  return {
    parts,
    pid: (name) => parts.find((part) => part.name === name)?.pid || undefined,
    async start(plan) {
      if (stopped) throw new Complaint('The gateway was stopped before it was ready.')
      const part = startPart(plan, { reaper, say, revived })
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
