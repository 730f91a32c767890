// Times of a link, in milliseconds: a lease is three heartbeats long.

import { type Env, readLeaseMs } from '../settings/env.ts'

export const readHeartbeatMs = (env: Env): number => Math.round(readLeaseMs(env) / 3)

/** Two and a half heartbeats: shorter than the lease, so that a dead link is noticed before another host may get the instances. */
export const readMaxSilence = (env: Env): number => Math.round((readLeaseMs(env) * 5) / 6)

/** How many `events` frames a host may send before the next acknowledgement. */
export const CREDIT = 4
