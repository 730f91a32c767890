// The answer that an Idempotency-Key repeats: its body sealed for the key, because tokens and message text may be in it.

import type { Statement } from '../../shared/db/statements.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import { type Claim, type KeyRow, keepAnswer, type Owned } from './idempotency-keys.ts'

const contextOf = ({ scope, key }: Pick<Claim, 'scope' | 'key'>) => `replay:${scope}:${key}`

/** What makes the key repeat this body. */
export async function keptAnswer(
  env: Env,
  owned: Owned,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Statement> {
  const sealer = await sealerOf(env, 'edge/replay')
  const bytes = typeof body === 'string' ? utf8(body) : body
  return keepAnswer(owned, status, await sealer.seal(bytes, contextOf(owned)))
}

/** The bytes that were answered under this key before. */
export async function openAnswer(env: Env, row: KeyRow): Promise<Uint8Array<ArrayBuffer>> {
  const sealer = await sealerOf(env, 'edge/replay')
  return sealer.open(new Uint8Array(row.response ?? []), contextOf(row))
}
