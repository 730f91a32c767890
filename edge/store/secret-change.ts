// The change of the signing secret by a save, as SQL, so that no secret disappears when two saves happen at the same time.

import { type SQL, sql } from 'drizzle-orm'

/** What a webhook has for its receiver alone: it belongs to the origin that it was set for, and is in no answer. */
export type SealedPart = 'headers' | 'secret'

const formatOrigin = (url: string): string => `${URL.parse(url)?.origin}/`

/** Both are normalized, or empty. */
export const isSameOrigin = (url: string, other: string): boolean => url.startsWith(formatOrigin(other))

/** SQL: the URL of the existing row has the origin of this one. */
export function hasSameOrigin(url: string): SQL {
  const origin = formatOrigin(url)
  return sql`substr(url, 1, ${origin.length}) = ${origin}`
}

type Bytes = Uint8Array<ArrayBuffer>

/** Column values for headers that stay, if `ours` says so. `sent`: the same, as their caller has sent them. */
export const retainHeaders = (ours: SQL, sent?: { headers: Bytes | null; headerNames: string[] | null }) => ({
  headers: retainColumn('headers', ours, sent?.headers),
  headerNames: retainColumn(
    'header_names',
    ours,
    sent?.headerNames ? JSON.stringify(sent.headerNames) : undefined,
  ),
})

/** `otherwise`: the value where the existing one belongs to another origin, as after a save that came between. */
const retainColumn = (column: string, ours: SQL, otherwise?: Bytes | string | null) =>
  sql`case when ${ours} then ${sql.identifier(column)} else ${otherwise ?? null} end`

export type SecretChange =
  /** `sent`: by a caller who names the present secret. */
  | { kind: 'keep'; sent?: Bytes }
  | { kind: 'remove' }
  /** The previous secret signs too until `bothUntil`. */
  | { kind: 'rotate'; secret: Bytes; bothUntil: number }

/** SQL that says whether the change leaves the secrets of an existing row, which has the same owner, as they are. */
export function keepsSecrets(change: SecretChange): SQL {
  switch (change.kind) {
    case 'keep':
      return sql`true`
    case 'remove':
      return sql`secret is null and previous_secret is null`
    case 'rotate':
      return sql`false`
  }
}

/** Column values for an existing row. `ours`: SQL that says whether its secret belongs to the same owner and origin, and can stay. */
export function buildSecretColumns(change: SecretChange, ours: SQL) {
  switch (change.kind) {
    case 'keep':
      return {
        secret: retainColumn('secret', ours, change.sent),
        previousSecret: retainColumn('previous_secret', ours),
        previousSecretUntil: sql`case when ${ours} then previous_secret_until else 0 end`,
      }
    case 'remove':
      return { secret: null, previousSecret: null, previousSecretUntil: 0 }
    case 'rotate':
      return {
        secret: change.secret,
        previousSecret: retainColumn('secret', ours),
        previousSecretUntil: sql`case when ${ours} and secret is not null then ${change.bothUntil} else 0 end`,
      }
  }
}

/** Column values for a new row. */
export const buildFirstSecret = (change: SecretChange) => ({
  secret: change.kind === 'rotate' ? change.secret : null,
})
