// What of a request's body is in memory: counted as long as the request refers to it.

import type { Context } from 'hono'
import type { Actor, EdgeEnv } from '../context.ts'
import { HeldBytes, nameHolder } from '../held-bytes.ts'
import type { LiftedTexts } from '../lifted-texts.ts'

/** Those of this request, which are let go when it ends. */
export function holdBytes(c: Context<EdgeEnv>, caller: Actor | undefined): HeldBytes {
  const held = c.get('held') ?? new HeldBytes(c.env, nameHolder(caller))
  c.set('held', held)
  return held
}

/** The file of a request: from here on the request refers to its body no more. */
export function takeLifted(c: Context<EdgeEnv>): LiftedTexts | undefined {
  const { lifted } = c.var
  c.set('lifted', undefined)
  c.set('requestBytes', undefined)
  return lifted
}
