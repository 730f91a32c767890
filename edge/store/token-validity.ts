// The SQL that checks a token's digest: it matches the present token, or the former one while both are valid.

import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { SECOND } from '../../shared/date-time.ts'
import { DATABASE_NOW } from './database/open-store.ts'

interface Columns {
  tokenHash: AnyColumn
  previousTokenHash: AnyColumn
  previousTokenUntil: AnyColumn
}

const now = sql.raw(DATABASE_NOW)

/** `given`: a digest, or a placeholder for it. */
export const matchesToken = (token: Columns, given: unknown): SQL => sql`(${token.tokenHash} = ${given}
  or (${token.previousTokenHash} = ${given} and ${token.previousTokenUntil} > ${now}))`

/** The id of the instance with this token, as a subquery. */
export const selectInstanceByToken = (
  given: unknown,
): SQL => sql`(select id from instances where token_hash = ${given}
  or (previous_token_hash = ${given} and previous_token_until > ${now}))`

/** Column values for a renewal: the present token stays valid for `overlap` seconds as the former one. */
export const renewToken = (token: Columns, tokenHash: string, overlap: number) =>
  overlap === 0
    ? { tokenHash, previousTokenHash: null, previousTokenUntil: 0 }
    : {
        tokenHash,
        previousTokenHash: sql`${token.tokenHash}`,
        previousTokenUntil: sql`${now} + ${overlap * SECOND}`,
      }
