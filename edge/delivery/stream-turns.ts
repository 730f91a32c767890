// Pages of event streams are read and written in turns by instance, with a bound on their time in a minute: a reader that begins with the
// oldest event takes all that are stored, as fast as it can.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { FairTurns, type Turn, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'
import { setTimerDeadline } from '../runtime/deadlines.ts'

/** Each stream waits for one page at a time, so there is always room for it. */
const ROOM = Number.POSITIVE_INFINITY
const LIMITS = { maxUnderWay: 16, maxUnderWayOfOne: 1, maxWaiting: ROOM, maxWaitingOfOne: ROOM }
/** New events take a few milliseconds each, so only a reader of old ones comes near it. */
const COST = { costPerMinute: 15 * SECOND, maxSavedCost: 3 * SECOND }
/** After a page that took longer, as many pages of old events do, nothing is read for as long: requests of others go between. */
const SHORT_MS = 5

let turns: FairTurns | undefined

/** Runs `readPage` when it is the turn of this instance. An instance that has used its minute waits: its streams go on more slowly. */
export async function takeStreamTurn<Page>(instanceId: string, readPage: () => Promise<Page>): Promise<Page> {
  const turn = await waitForTurn(instanceId)
  const began = performance.now()
  let took = 0
  try {
    const page = await readPage()
    took = performance.now() - began
    if (took > SHORT_MS) await wait(took)
    return page
  } finally {
    turn.end(took)
  }
}

async function waitForTurn(instanceId: string): Promise<Turn> {
  turns ??= registerTurns('streams', new FairTurns({ ...LIMITS, ...COST }))
  for (;;) {
    try {
      return await turns.takeTurn(instanceId)
    } catch (error) {
      if (!(error instanceof TurnRefused)) throw error
      await wait(error.waitMs)
    }
  }
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimerDeadline(ms, resolve))
