// Apart from the queries, because this one rule stands here in both languages: whether a session can send at the moment.

import type { InstanceRow } from './instance-queries.ts'

type Session = Pick<InstanceRow, 'kind' | 'status' | 'loggedIn'>

/** An instance of kind `calls` takes calls only. */
export const takesMessages = ({ kind }: Pick<Session, 'kind'>): boolean => kind !== 'calls'

export const isLoggedIn = ({ status, loggedIn }: Omit<Session, 'kind'>): boolean =>
  status === 'connected' && loggedIn

/** SQL of both for a row of `instances`. */
export const CAN_SEND =
  "(instances.kind <> 'calls' and instances.status = 'connected' and instances.logged_in)"
