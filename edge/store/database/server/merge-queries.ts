// Merges statements of many requests that differ in one value only into one, because planning a statement costs more than running it.

import type { Query, Result } from '../../../runtime/query-types.ts'
import { DatabaseRefusal } from '../storage-error.ts'

type ResultOrRefusal = Result | DatabaseRefusal

interface Share {
  place: number
  /** Set if the answer is shared by several queries. */
  name?: string
}

/**
 * Each bulk statement takes the place of the first of its queries. `distribute` turns the answers to the merged statements into one
 * answer for each query, in their order.
 */
export function mergeQueries(queries: Query[]) {
  const alike = new Map<string, Map<string, unknown>>()
  for (const { bulk } of queries) {
    if (!bulk) continue
    const items = alike.get(bulk.sql) ?? new Map<string, unknown>()
    alike.set(bulk.sql, items.set(bulk.name, bulk.item))
  }
  const sent: Query[] = []
  const places = new Map<string, number>()
  const shares = queries.map((query): Share => {
    const { sql = '', name = '' } = query.bulk ?? {}
    const items = alike.get(sql)
    if (!items || items.size === 1) return { place: sent.push(query) - 1 }
    const place = places.get(sql) ?? sent.push({ sql, args: [JSON.stringify([...items.values()])] }) - 1
    places.set(sql, place)
    return { place, name }
  })
  return {
    queries: sent,
    distribute: <A extends ResultOrRefusal>(answers: A[]): A[] => distributeAnswers(shares, answers),
  }
}

function distributeAnswers<A extends ResultOrRefusal>(shares: Share[], answers: A[]): A[] {
  const named = new Map<number, Map<string, unknown[][]>>()
  return shares.map(({ place, name }) => {
    const answer = answers[place] as A
    if (name === undefined || answer instanceof DatabaseRefusal) return answer
    const rows = named.get(place) ?? groupByName(answer.rows)
    named.set(place, rows)
    const own = rows.get(name) ?? []
    return { columns: answer.columns.slice(1), rows: own, rowsAffected: own.length } as unknown as A
  })
}

function groupByName(rows: unknown[][]): Map<string, unknown[][]> {
  const named = new Map<string, unknown[][]>()
  for (const [name, ...row] of rows) {
    const own = named.get(String(name)) ?? []
    named.set(String(name), own)
    own.push(row)
  }
  return named
}
