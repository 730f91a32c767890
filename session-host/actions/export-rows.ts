// Exports what a host stores of an instance, in pages that fit into a frame.

import { truncateToLimits } from '../../shared/truncation.ts'
import { createDoneOutcome, type Outcome } from '../../shared/wire/outcome.ts'
import {
  type ActionInput,
  type ActionResult,
  MAX_RESULT_CHARACTERS,
} from '../../shared/wire/session-actions.ts'
import { toGroupRecord } from '../sessions/group-records.ts'
import { createExportPages, type KeyedRow } from '../store/export-pages.ts'
import type { ActionContext } from './action.ts'

const PAGE_ROWS = 100

export async function exportRows(
  { session }: ActionContext,
  { what, after }: ActionInput<'session.export'>,
): Promise<Outcome<ActionResult<'session.export'>>> {
  const pages = createExportPages((group) =>
    toGroupRecord(group, session.groups.isOwnMember, { participants: true }),
  )
  const found = await pages[what](session.store, session.instance, after, PAGE_ROWS + 1)
  const page: typeof found = []
  let characters = 0
  for (const one of found.slice(0, PAGE_ROWS).map(fitFrame)) {
    characters += JSON.stringify(one.row).length
    if (page.length > 0 && characters > MAX_RESULT_CHARACTERS) break
    page.push(one)
  }
  const next = page.length < found.length ? (page.at(-1)?.key ?? null) : null
  return createDoneOutcome({ rows: page.map(({ row }) => ({ ...row })), next })
}

/** A row that no frame holds is exported cut, and says so. */
function fitFrame({ key, row }: KeyedRow): KeyedRow {
  const { value, truncated } = truncateToLimits(row)
  return truncated ? { key, row: { ...value, truncated } } : { key, row }
}
