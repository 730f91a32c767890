// Stores tokens of instances sealed, for callers that read them from the list or an event. Only with `COMPATIBILITY=uazapi`.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { instanceTokens } from '@msgnet/shared/db/sealed-tables.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import { eq, sql } from 'drizzle-orm'
import type { DialectStore } from '../dialect/event-format.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'

const formatSealContext = (instanceId: string) => `instance-token:${instanceId}`

type Row = typeof instanceTokens.$inferSelect

/** Statements for the write that sets this token. */
export async function buildTokenWrites(
  env: Env,
  store: DialectStore,
  instanceId: string,
  plainToken: string,
): Promise<Statement[]> {
  const sealer = await findSealer(env, 'edge/instance-token')
  const token = await sealer.seal(encodeUtf8(plainToken), formatSealContext(instanceId))
  const row = { instanceId, token }
  return [
    store.db
      .insert(instanceTokens)
      .values(row)
      .onConflictDoUpdate({ target: instanceTokens.instanceId, set: row }),
  ]
}

/** Empty if the token was created while the setting was off. */
export async function readToken(env: Env, store: DialectStore, instanceId: string): Promise<string> {
  const [row] = await store.db.select().from(instanceTokens).where(eq(instanceTokens.instanceId, instanceId))
  return row ? openToken(env, row) : ''
}

/** The stored tokens of these instances, by instance. */
export async function readTokens(env: Env, store: DialectStore, ids: string[]): Promise<Map<string, string>> {
  const these = sql`${instanceTokens.instanceId} in (select value from json_each(${JSON.stringify(ids)}))`
  const rows = await store.db.select().from(instanceTokens).where(these)
  return new Map(
    await Promise.all(rows.map(async (row) => [row.instanceId, await openToken(env, row)] as const)),
  )
}

/** A token whose key is gone counts as not stored. */
async function openToken(env: Env, { instanceId, token }: Row): Promise<string> {
  const sealer = await findSealer(env, 'edge/instance-token')
  try {
    return new TextDecoder().decode(await sealer.open(new Uint8Array(token), formatSealContext(instanceId)))
  } catch (error) {
    if (error instanceof SealError) return ''
    throw error
  }
}
