// Waits until a session has something to show to whoever has just asked it to connect.

import { done, type Outcome, type Refused } from '../../shared/wire/outcome.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import type { KeptState } from './kept-state.ts'

/** Beside a login and an end, which are always news. */
export type IsNews = (now: SessionState) => boolean

interface Waiting {
  waitMs: number
  isNews: IsNews
  /** Why the last attempt got nowhere. */
  findObstacle(): Refused | undefined
}

/** The first state with news, or a refusal; after `waitMs` the current state. */
export function waitForNews(
  state: KeptState,
  { waitMs, isNews, findObstacle }: Waiting,
): Promise<Outcome<SessionState>> {
  const { promise, resolve } = Promise.withResolvers<Outcome<SessionState>>()
  const look = () => {
    const { now } = state
    const obstacle = findObstacle()
    if (obstacle && !now.loggedIn) resolve(obstacle)
    else if (now.loggedIn || now.status === 'disconnected' || isNews(now)) resolve(done(now))
  }
  const forget = state.onChange(look)
  const timer = setTimeout(() => resolve(done(state.now)), waitMs)
  look()
  return promise.finally(() => {
    forget()
    clearTimeout(timer)
  })
}
