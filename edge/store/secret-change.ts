// The change of the signing secret by a save, as SQL, so that no secret disappears when two saves happen at the same time.

import { type SQL, sql } from 'drizzle-orm'

export type SecretChange =
  | { kind: 'keep' }
  | { kind: 'remove' }
  /** The previous secret signs too until `bothUntil`. */
  | { kind: 'rotate'; secret: Uint8Array<ArrayBuffer>; bothUntil: number }

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

/** Column values for an existing row. `ours`: SQL that says whether its secret belongs to the same owner and can stay. */
export function buildSecretColumns(change: SecretChange, ours: SQL) {
  const retainColumn = (column: string) => sql`case when ${ours} then ${sql.identifier(column)} end`
  switch (change.kind) {
    case 'keep':
      return {
        secret: retainColumn('secret'),
        previousSecret: retainColumn('previous_secret'),
        previousSecretUntil: sql`case when ${ours} then previous_secret_until else 0 end`,
      }
    case 'remove':
      return { secret: null, previousSecret: null, previousSecretUntil: 0 }
    case 'rotate':
      return {
        secret: change.secret,
        previousSecret: retainColumn('secret'),
        previousSecretUntil: sql`case when ${ours} and secret is not null then ${change.bothUntil} else 0 end`,
      }
  }
}

/** Column values for a new row. */
export const buildFirstSecret = (change: SecretChange) => ({
  secret: change.kind === 'rotate' ? change.secret : null,
})
