// Two processes with the same host token replace each other's link for ever. That is detected by how often it happens, and logged.

import { MINUTE } from '../../shared/date-time.ts'
import { count } from '../counters.ts'
import { log } from '../edge-log.ts'
import type { Env } from '../env.ts'
import type { Attachment } from './host-socket.ts'

/** Restarts and lost connections do not replace a link more often than this in a minute. */
const DISPLACED_AT_MOST = 2
const REMEMBERED = 8

type LinkConflict = Pick<Attachment, 'boot' | 'displacedAt' | 'alarmedAt'>

/** What the new link takes over from those that it replaces; it is kept with the socket, because the object's memory does not last. */
export function detectConflict(
  env: Env,
  host: string,
  boot: string,
  displaced: LinkConflict[],
): LinkConflict {
  const now = Date.now()
  const before = displaced.flatMap(({ displacedAt }) => displacedAt).filter((at) => at > now - MINUTE)
  const alarmedAt = Math.max(0, ...displaced.map((conflict) => conflict.alarmedAt))
  if (!displaced.some((conflict) => conflict.boot !== boot)) return { boot, displacedAt: before, alarmedAt }
  const displacedAt = [...before, now].slice(-REMEMBERED)
  if (displacedAt.length <= DISPLACED_AT_MOST) return { boot, displacedAt, alarmedAt }
  count('edge_contested_links_total', { host })
  if (now - alarmedAt < MINUTE) return { boot, displacedAt, alarmedAt }
  log(env, 'error', 'two processes use the same host token', { host, displaced: displacedAt.length })
  return { boot, displacedAt, alarmedAt: now }
}
