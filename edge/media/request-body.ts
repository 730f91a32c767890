// What of a request's body is in memory: counted as long as the request refers to it.

import type { Context } from 'hono'
import { formatHolder, HeldBytes } from '../held-bytes.ts'
import type { LongTexts } from '../long-texts.ts'
import type { Actor, EdgeEnv } from '../request-context.ts'

/** Those of this request, which are let go when it ends. */
export function retainBytes(c: Context<EdgeEnv>, caller: Actor | undefined): HeldBytes {
  const heldBytes = c.get('heldBytes') ?? new HeldBytes(c.env, formatHolder(caller))
  c.set('heldBytes', heldBytes)
  return heldBytes
}

/** The file of a request: from here on the request refers to its body no more. */
export function takeLongTexts(c: Context<EdgeEnv>): LongTexts | undefined {
  const { lifted } = c.var
  c.set('lifted', undefined)
  c.set('requestBytes', undefined)
  return lifted
}
