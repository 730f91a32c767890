// A caller that waits less long than its act may take (`Prefer: wait`): once it has gone, its send is one that nobody awaits.

import type { Act } from '../../shared/wire/link-frames.ts'
import type { TrackedRequests } from '../driver/request-tracking.ts'
import type { Session } from '../sessions/host-session.ts'
import { readMessageid } from './act-facts.ts'

/** Returns a function that ends the watch. `marginMs`: the caller counts as gone so much earlier, so that no failure falls between. */
export function watchCallerWait(
  { patience, input }: Act,
  marginMs: number,
  { intake }: Pick<Session, 'intake'>,
  requests: TrackedRequests,
): () => void {
  const messageid = readMessageid(input)
  if (patience === undefined || messageid === '') return () => undefined
  const timer = setTimeout(() => {
    const { onLeaving } = requests
    requests.onLeaving = () => {
      onLeaving()
      intake.markLeft(messageid)
    }
    intake.endWait(messageid, () => requests.hasLeft)
  }, patience - marginMs)
  return () => clearTimeout(timer)
}
