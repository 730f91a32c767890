// Apart from host-session.ts, which is long enough: what a caller is answered that waits for a connection or for its end.

import { createDoneOutcome, type Outcome, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import type { StoredState } from './stored-state.ts'

/** In addition to a login and an end, which are always news. */
export type IsNews = (now: SessionState) => boolean

interface StateWait {
  waitMs: number
  /** Why the last attempt failed. */
  getObstacle(): RefusedOutcome | undefined
  isNews?: IsNews | undefined
}

/** The first state with news, or why the last attempt failed; after `waitMs` the current state. */
export function waitForState(
  state: StoredState,
  { waitMs, getObstacle, isNews = (now) => now.pairing !== null }: StateWait,
): Promise<Outcome<SessionState>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<SessionState>>()
  const checkState = () => {
    const { now } = state
    const obstacle = getObstacle()
    if (obstacle && !now.loggedIn) resolve(obstacle)
    else if (now.loggedIn || now.status === 'disconnected' || isNews(now)) resolve(createDoneOutcome(now))
  }
  const unsubscribe = state.onChange(checkState)
  const timer = setTimeout(() => resolve(createDoneOutcome(state.now)), waitMs)
  checkState()
  return promise.finally(() => {
    unsubscribe()
    clearTimeout(timer)
  })
}
