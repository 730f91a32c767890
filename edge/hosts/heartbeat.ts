// The rhythm of a link, in milliseconds: three beats a lease.

import { type Env, leaseOf } from '../env.ts'

export const heartbeatOf = (env: Env): number => Math.round(leaseOf(env) / 3)

/** Two beats and a half: shorter than the lease, so that a dead link is known before another host may take over. */
export const silenceOf = (env: Env): number => Math.round((leaseOf(env) * 5) / 6)

/** `events` frames a host may have under way. */
export const CREDIT = 4
