// Whether a token is valid: it is the current token, or the previous one while that is still valid by the database's clock.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { DATABASE_NOW } from './database/open-store.ts'

/** Tables with the columns of a token that can be renewed. */
type TokenTable = 'instances' | 'admin_tokens'

/** SQL over a row of the table. `digest`: SQL of the digest to look for; `compare`: SQL over a column, when only a part of it is compared. */
export const matchesTokenSql = (
  table: TokenTable,
  digest: string,
  compare = (column: string): string => column,
): string => `(${compare(`${table}.token_hash`)} = ${digest}
  or (${compare(`${table}.previous_token_hash`)} = ${digest} and ${table}.previous_token_until > ${DATABASE_NOW}))`

const MARK = '?'

/** The same for a query: `digest` is a value, a placeholder for one, or SQL. */
export function matchesToken(table: TokenTable, digest: unknown, compare?: (column: string) => string): SQL {
  const [first = '', ...rest] = matchesTokenSql(table, MARK, compare).split(MARK)
  return sql.join([sql.raw(first), ...rest.flatMap((part) => [sql`${digest}`, sql.raw(part)])])
}

/** The id of the instance with this token, as a subquery. */
export const selectInstanceByToken = (digest: unknown): SQL =>
  sql`(select id from instances where ${matchesToken('instances', digest)})`

/** Links to files name the token that they were made with by the beginning of its digest. */
const NAME_LENGTH = 16

export const shortenDigest = (tokenHash: string): string => tokenHash.slice(0, NAME_LENGTH)

/** The same as `matchesToken` for such a name. */
export const matchesTokenName = (table: TokenTable, name: string): SQL =>
  matchesToken(table, name, (column) => `substr(${column}, 1, ${NAME_LENGTH})`)

/** Of a row of scoped tokens. */
export const isScopedUnexpired = sql.raw(
  `(scoped_tokens.expires_at = 0 or scoped_tokens.expires_at > ${DATABASE_NOW})`,
)

/** There is a valid scoped token with this digest. */
export const hasLiveScopedToken = (tokenHash: string): SQL =>
  sql`exists (select 1 from scoped_tokens where token_hash = ${tokenHash} and ${isScopedUnexpired})`

/** The same for the name by which a link to a file knows it. Over a row of the instances. */
export const hasNamedScopedToken = (name: string): SQL =>
  sql`exists (select 1 from scoped_tokens where instance_id = instances.id
    and substr(token_hash, 1, ${sql.raw(String(NAME_LENGTH))}) = ${name} and ${isScopedUnexpired})`

/** Column values for a renewal: the current token stays valid for `overlap` seconds as the previous one. */
export const renewToken = (token: { tokenHash: AnyColumn }, tokenHash: string, overlap: number) =>
  overlap === 0
    ? { tokenHash, previousTokenHash: null, previousTokenUntil: 0 }
    : {
        tokenHash,
        previousTokenHash: sql`${token.tokenHash}`,
        previousTokenUntil: sql`${sql.raw(DATABASE_NOW)} + ${overlap * SECOND}`,
      }
