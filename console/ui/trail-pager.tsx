// The pager of a list whose cursor stands in the address.

import { usePageTrail } from '../page-trail.ts'
import { Pager } from './data-table.tsx'

interface Props {
  /** The name of the cursor in the address. */
  cursor: 'after' | 'before'
  /** Of a full page. */
  pageRows: number
  shownRows: number
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined
  total?: number
}

export function TrailPager({ cursor, pageRows, shownRows, next, ...total }: Props) {
  const { from, turnForward, turnBack } = usePageTrail(cursor, pageRows)
  if (!next && !turnBack) return null
  return (
    <Pager
      {...total}
      from={from}
      to={from + shownRows - 1}
      onPrevious={turnBack}
      onNext={next ? () => turnForward(next, shownRows) : undefined}
    />
  )
}
