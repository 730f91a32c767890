// Links to files of messages. A link allows every program to fetch that one file for a day, or until the token is renewed.

import * as z from 'zod'
import { ActorKind } from '../../shared/contract/audit-actions.ts'
import { DAY } from '../../shared/date-time.ts'
import { encodeBase64Url } from '../../shared/random-tokens.ts'
import { encodeUtf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import type { Actor } from '../request-context.ts'
import { findSealer } from '../sealers.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { shortenDigest } from '../store/token-validity.ts'

const CONTEXT = 'media-link'

/** `token`: the beginning of the digest of the token that the link was made with, `credential`: whose token that was. */
const Link = z.object({
  instance: z.uuid(),
  token: z.string(),
  credential: ActorKind,
  messageid: z.string(),
  until: z.int(),
})
type Link = z.infer<typeof Link>

/** `tokenHash`: of the caller's token. */
export async function sealLink(
  env: Env,
  { instance, tokenHash, actor }: { instance: InstanceRow; tokenHash: string; actor: Actor },
  messageid: string,
): Promise<string> {
  const sealer = await findSealer(env, 'edge/media-link')
  const until = Date.now() + DAY
  const token = shortenDigest(tokenHash)
  const link: Link = { instance: instance.id, token, credential: actor.kind, messageid, until }
  return encodeBase64Url(await sealer.seal(encodeUtf8(JSON.stringify(link)), CONTEXT))
}

/** Undefined if this gateway did not create the link, or if the link has expired. */
export async function openLink(env: Env, sealed: string) {
  try {
    const bytes = Uint8Array.from(atob(sealed.replace(/-/g, '+').replace(/_/g, '/')), (char) =>
      char.charCodeAt(0),
    )
    const sealer = await findSealer(env, 'edge/media-link')
    const link = Link.parse(JSON.parse(new TextDecoder().decode(await sealer.open(bytes, CONTEXT))))
    if (link.credential === 'root' && link.token !== (await nameRootToken(env))) return undefined
    return link.until > Date.now() ? link : undefined
  } catch {
    return undefined
  }
}

const nameRootToken = async ({ ADMIN_TOKEN, runtime }: Env): Promise<string> =>
  shortenDigest(await runtime.cryptography.digest(ADMIN_TOKEN ?? ''))
