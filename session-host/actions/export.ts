// Exports what a host stores of an instance, in pages that fit into a frame.

import { bounded } from '../../shared/bounds.ts'
import { type ActionInput, type ActionResult, RESULT_CHARACTERS } from '../../shared/wire/actions.ts'
import { done, type Outcome } from '../../shared/wire/outcome.ts'
import { groupRecord } from '../sessions/group-reporting.ts'
import { exportPages, type KeyedRow } from '../store/export.ts'
import type { ActionContext } from './action.ts'

const A_PAGE = 100

export async function exportRows(
  { session }: ActionContext,
  { what, after }: ActionInput<'session.export'>,
): Promise<Outcome<ActionResult<'session.export'>>> {
  const pages = exportPages((group) => groupRecord(group, session.groups.isOwn, { participants: true }))
  const found = await pages[what](session.store, session.instance, after, A_PAGE + 1)
  const page: typeof found = []
  let characters = 0
  for (const one of found.slice(0, A_PAGE).map(fitFrame)) {
    characters += JSON.stringify(one.row).length
    if (page.length > 0 && characters > RESULT_CHARACTERS) break
    page.push(one)
  }
  const next = page.length < found.length ? (page.at(-1)?.key ?? null) : null
  return done({ rows: page.map(({ row }) => ({ ...row })), next })
}

/** A row that no frame holds is exported cut, and says so. */
function fitFrame({ key, row }: KeyedRow): KeyedRow {
  const { value, truncated } = bounded(row)
  return truncated ? { key, row: { ...value, truncated } } : { key, row }
}
