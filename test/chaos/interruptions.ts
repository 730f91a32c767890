// When a part other than the edge was killed, and until when a send may have been written to it in vain.

import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Milliseconds since the epoch. */
export interface Interruption {
  from: number
  until: number
}

const TABLE = '/proc/net/tcp'
/** `ESTABLISHED`, and `CLOSE_WAIT`: the other side has ended, and this process has not read that yet. */
const WRITABLE = ['01', '08']
const POLL_MS = 5
/** A network that runs again has connections of its own. */
const MAX_MS = 1500

/** Of a process that writes nothing after it: a kill of the host. */
export const createInstant = (): Interruption => ({ from: Date.now(), until: Date.now() })

/**
 * Of a process that others write to, called just before its kill: it ends when none of them has a connection to its port any more. Until
 * then the machine takes what they write, also while the process is being torn down, so that it has left. Where the machine has no table of
 * its connections, it is an instant.
 */
export async function watchInterruption(port: number): Promise<Interruption> {
  const from = Date.now()
  while (countConnections(port) > 0 && Date.now() < from + MAX_MS) await wait(POLL_MS)
  return { from, until: Date.now() }
}

/** Whether a part that a send needs was gone when something of it may have been under way. */
export const wasInterrupted = (
  { began, ended, delayMs }: { began: number; ended: number; delayMs: number },
  interruptions: readonly Interruption[],
): boolean => interruptions.some(({ from, until }) => until >= began + delayMs && from <= ended)

function countConnections(port: number): number {
  if (!existsSync(TABLE)) return 0
  const target = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(TABLE, 'utf8').split('\n').slice(1)
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , remote = '', state = '']) => remote.endsWith(target) && WRITABLE.includes(state)).length
}
