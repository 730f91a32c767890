// What an action gets from its host: the session, the network with the act's requests tracked, and what it shares with other acts.

import { toCause } from '@msgnet/shared/trace-context.ts'
import { trackRequests } from '../driver/request-tracking.ts'
import type { ActionContext } from './action.ts'

/** Parts of the host that all acts use. */
export type ContextParts = Pick<
  ActionContext,
  'sessions' | 'transfers' | 'mediaJobs' | 'downloads' | 'imports'
>

/** What is the act's own. */
type ActParts = Omit<ActionContext, keyof ContextParts | 'network' | 'cause'>

export function createContext(
  { sessions, transfers, mediaJobs, downloads, imports }: ContextParts,
  request: Parameters<typeof toCause>[0],
  act: ActParts,
): ActionContext {
  const { session, requests, deadline } = act
  return {
    ...act,
    sessions,
    transfers,
    mediaJobs,
    downloads,
    imports,
    cause: toCause(request),
    get network() {
      return session.network && trackRequests(session, session.network, requests, deadline)
    },
  }
}
