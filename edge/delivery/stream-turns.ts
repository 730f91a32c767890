// Apart from event-streams.ts, because a test takes turns without a stream: pages of event streams are read and written in turns by instance,
// with a bound on their time in a minute. A reader that begins with the oldest event takes all that are stored, as fast as it can.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { PacedTurns } from '../limits/paced-turns.ts'

/** Each stream waits for one page at a time, so there is always room for it. */
const ROOM = Number.POSITIVE_INFINITY
const LIMITS = { maxUnderWay: 16, maxUnderWayOfOne: 1, maxWaiting: ROOM, maxWaitingOfOne: ROOM }
/** New events take a few milliseconds each, so only a reader of old ones comes near it. */
const COST = { costPerMinute: 15 * SECOND, maxSavedCost: 3 * SECOND }

const turns = new PacedTurns('streams', { ...LIMITS, ...COST })

/** Runs `readPage` when it is the turn of this instance. */
export const takeStreamTurn = <Page>(instanceId: string, readPage: () => Promise<Page>): Promise<Page> =>
  turns.runNext(instanceId, readPage)
