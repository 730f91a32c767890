// What operations cost with so many stored events, beside what they cost without: two gateways in one run that take turns.

import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { databasePath } from '@msgnet/cli/data-folder/database-file.ts'
import { type Cost, type Part, parts } from './cost.ts'
import { type CostStage, startCostStage } from './cost-stage.ts'
import { rows } from './costs.ts'
import { fillEvents } from './fill-events.ts'
import { readProcessTime } from './process-time.ts'

/** A row with the stored events may cost so many times what it costs without. */
const MAX_RATIO = 1.2
/** Processor time in a second that an edge without requests stays below. */
const IDLE_MS = 50

export interface StoredEventsCost {
  what: string
  without: Cost
  stored: Cost
  ratio: number
}

/** `events`: how many to store. */
export async function measureStoredEvents(
  events: number,
  note: (text: string) => void,
): Promise<StoredEventsCost[]> {
  note('two gateways, each with 1,000 instances of which 20 are linked …')
  const without = await startCostStage()
  const stored = await startCostStage()
  try {
    await Promise.all([without.createThousandInstances(), stored.createThousandInstances()])
    note(`${events} events are stored in one of them …`)
    await fillEvents(stored, events)
    await Promise.all([measureAtRest(without), measureAtRest(stored)])
    note(`its database holds ${await countEvents(stored)} events; the other ${await countEvents(without)}`)
    const found: StoredEventsCost[] = []
    for (const { what, measureCost } of rows) {
      // In this order neither gains by what the machine does meanwhile, or by coming second.
      const [first, second, third, fourth] = [
        await measureCost(without),
        await measureCost(stored),
        await measureCost(stored),
        await measureCost(without),
      ]
      const both = { without: averageCosts(first, fourth), stored: averageCosts(second, third) }
      found.push({ what, ...both, ratio: both.stored.total / both.without.total })
      note(`${what}: ${both.without.total.toFixed(2)} and ${both.stored.total.toFixed(2)} ms`)
    }
    return found
  } finally {
    await without.close()
    await stored.close()
  }
}

async function countEvents({ world }: CostStage): Promise<string> {
  const [row] = await world.queryDatabase('select count(*) as events from events')
  const bytes = statSync(databasePath(world.dataDir)).size
  return `${row?.events} (${(bytes / 2 ** 20).toFixed(0)} MiB)`
}

/** What was written is folded into the database's file a while later; that is no row's cost. */
async function measureAtRest({ world }: CostStage): Promise<void> {
  const pid = world.findPid('edge')
  for (let before = readProcessTime(pid); ; ) {
    await wait(1000)
    const now = readProcessTime(pid)
    if (now - before < IDLE_MS) return
    before = now
  }
}

function averageCosts(one: Cost, other: Cost): Cost {
  const byPart = Object.fromEntries(
    parts.map((part) => [part, (one.byPart[part] + other.byPart[part]) / 2]),
  ) as Record<Part, number>
  return { ...one, byPart, total: (one.total + other.total) / 2 }
}

/** For the terminal. */
export function printStoredEvents(found: StoredEventsCost[]): void {
  const formatMs = ({ byPart }: Cost) => parts.map((part) => byPart[part].toFixed(2)).join(' + ')
  console.table(
    found.map(({ what, without, stored, ratio }) => ({
      'CPU ms an operation': what,
      'edge + host, without': formatMs(without),
      'with stored events': formatMs(stored),
      together: `${without.total.toFixed(2)}, ${stored.total.toFixed(2)}`,
      ratio: ratio.toFixed(2),
      reach: `≤ ${MAX_RATIO}`,
      '': ratio <= MAX_RATIO ? 'reached' : 'MISSED',
    })),
  )
}
