// Links to the files of messages: whoever holds one may fetch that file, and nothing else, for a day.

import * as z from 'zod'
import { DAY } from '../../shared/clock.ts'
import { base64url } from '../../shared/tokens.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'

const CONTEXT = 'media-link'

const Link = z.object({ instance: z.uuid(), messageid: z.string(), until: z.int() })

export async function sealLink(env: Env, instance: string, messageid: string): Promise<string> {
  const sealer = await sealerOf(env)
  const link: z.infer<typeof Link> = { instance, messageid, until: Date.now() + DAY }
  return base64url(await sealer.seal(utf8(JSON.stringify(link)), CONTEXT))
}

/** Undefined for one that we have not made, or whose day is over. */
export async function openLink(env: Env, sealed: string) {
  try {
    const bytes = Uint8Array.from(atob(sealed.replace(/-/g, '+').replace(/_/g, '/')), (char) =>
      char.charCodeAt(0),
    )
    const sealer = await sealerOf(env)
    const link = Link.parse(JSON.parse(new TextDecoder().decode(await sealer.open(bytes, CONTEXT))))
    return link.until > Date.now() ? link : undefined
  } catch {
    return undefined
  }
}
