// The link object of a host.

import type { Env } from '../env.ts'

export const linkOf = (env: Env, hostId: string) => env.HOST_LINK.get(env.HOST_LINK.idFromName(hostId))
