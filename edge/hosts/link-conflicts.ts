// Two processes with the same host token take the link from each other for ever: seen by how often, and told to the operator.

import { MINUTE } from '../../shared/clock.ts'
import type { Env } from '../env.ts'
import { log } from '../log.ts'
import { count } from '../metrics.ts'
import type { Attached } from './socket.ts'

/** More than this in a minute is no restart and no lost connection. */
const DISPLACED_AT_MOST = 2
const REMEMBERED = 8

type LinkConflict = Pick<Attached, 'boot' | 'displacedAt' | 'alarmedAt'>

/** What the new link carries on of those that it displaces: the object's memory does not last. */
export function conflictOf(env: Env, host: string, boot: string, displaced: LinkConflict[]): LinkConflict {
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
