// Merges statements of many requests that differ in one value only into one, because planning a statement costs more than running it.

import type { Query, Result } from '../statements.ts'
import { DatabaseRefusal } from '../storage-error.ts'

type Answer = Result | DatabaseRefusal

export interface Merged {
  asked: Query[]
  /** From the answers to the merged statements, one answer for each query, in their order. */
  share<A extends Answer>(answers: A[]): A[]
}

interface Share {
  place: number
  /** Set if the answer is shared by several queries. */
  name?: string
}

/** Each bulk statement takes the place of the first of its queries. */
export function merge(queries: Query[]): Merged {
  const alike = new Map<string, Map<string, unknown>>()
  for (const { bulk } of queries) {
    if (!bulk) continue
    const items = alike.get(bulk.sql) ?? new Map<string, unknown>()
    alike.set(bulk.sql, items.set(bulk.name, bulk.item))
  }
  const asked: Query[] = []
  const placeOf = new Map<string, number>()
  const shares = queries.map((query): Share => {
    const { sql = '', name = '' } = query.bulk ?? {}
    const items = alike.get(sql)
    if (!items || items.size === 1) return { place: asked.push(query) - 1 }
    const place = placeOf.get(sql) ?? asked.push({ sql, args: [JSON.stringify([...items.values()])] }) - 1
    placeOf.set(sql, place)
    return { place, name }
  })
  return { asked, share: (answers) => shareOut(shares, answers) }
}

function shareOut<A extends Answer>(shares: Share[], answers: A[]): A[] {
  const named = new Map<number, Map<string, unknown[][]>>()
  return shares.map(({ place, name }) => {
    const answer = answers[place] as A
    if (name === undefined || answer instanceof DatabaseRefusal) return answer
    const rows = named.get(place) ?? byName(answer.rows)
    named.set(place, rows)
    const mine = rows.get(name) ?? []
    return { columns: answer.columns.slice(1), rows: mine, rowsAffected: mine.length } as unknown as A
  })
}

function byName(rows: unknown[][]): Map<string, unknown[][]> {
  const named = new Map<string, unknown[][]>()
  for (const [name, ...row] of rows) {
    const mine = named.get(String(name)) ?? []
    named.set(String(name), mine)
    mine.push(row)
  }
  return named
}
