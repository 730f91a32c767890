// Counts the bytes of a request's body in memory, as long as the request refers to them.

import type { Context } from 'hono'
import { formatHolder, HeldBytes } from '../limits/held-bytes.ts'
import type { Actor, EdgeEnv } from '../request/request-context.ts'
import type { LongTexts } from '../runtime/long-texts.ts'

/** Returns the counter of this request's bytes. They are released when the request ends. */
export function retainBytes(c: Context<EdgeEnv>, caller: Actor | undefined): HeldBytes {
  const heldBytes = c.get('heldBytes') ?? new HeldBytes(c.env, formatHolder(caller))
  c.set('heldBytes', heldBytes)
  return heldBytes
}

/** Removes the file of a request: from here on the request does not refer to its body. */
export function takeLongTexts(c: Context<EdgeEnv>): LongTexts | undefined {
  const { longTexts } = c.var
  c.set('longTexts', undefined)
  c.set('requestBytes', undefined)
  return longTexts
}
