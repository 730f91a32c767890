// The chats that a caller may see, as a condition of queries.

import { type AnyColumn, inArray, or, type SQL, sql } from 'drizzle-orm'

export interface ChatChoice {
  /** Ids in all forms that are known. */
  ids: readonly string[]
  /** All groups, or all people, whatever their ids. */
  groups: boolean
  people: boolean
}

/** Whether one of the columns has the id of a chosen chat. */
export const matchChoice = ({ ids, groups, people }: ChatChoice, ...columns: (AnyColumn | SQL)[]): SQL =>
  or(
    sql`false`,
    ...columns.flatMap((column) => [
      ids.length > 0 ? inArray(sql`${column}`, [...ids]) : undefined,
      groups ? sql`${column} like '%@g.us'` : undefined,
      people ? sql`(${column} like '%@s.msgnet.net' or ${column} like '%@lid')` : undefined,
    ]),
  ) as SQL

/** The same in plain SQL: `ids` is the value of its one placeholder. */
export const buildChoiceCondition = ({ ids, groups, people }: ChatChoice, column: string) => ({
  condition: `(${[
    `${column} IN (SELECT value FROM json_each(?))`,
    ...(groups ? [`${column} LIKE '%@g.us'`] : []),
    ...(people ? [`${column} LIKE '%@s.msgnet.net'`, `${column} LIKE '%@lid'`] : []),
  ].join(' OR ')})`,
  ids: JSON.stringify(ids),
})
