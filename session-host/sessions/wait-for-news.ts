// Waits until a session has something to show to whoever has just asked it to connect.

import { createDoneOutcome, type Outcome, type RefusedOutcome } from '../../shared/wire/outcome.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import type { StoredState } from './stored-state.ts'

/** Beside a login and an end, which are always news. */
export type IsNews = (now: SessionState) => boolean

interface Waiting {
  waitMs: number
  isNews: IsNews
  /** Why the last attempt got nowhere. */
  findObstacle(): RefusedOutcome | undefined
}

/** The first state with news, or a refusal; after `computeWaitMs` the current state. */
export function waitForNews(
  state: StoredState,
  { waitMs, isNews, findObstacle }: Waiting,
): Promise<Outcome<SessionState>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<SessionState>>()
  const checkState = () => {
    const { now } = state
    const obstacle = findObstacle()
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
