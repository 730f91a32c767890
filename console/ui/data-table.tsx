// A table of records: a head that stays in sight and sorts, rows that are links, and a form for narrow screens.

import type { ComponentChildren } from 'preact'
import { formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button } from './action-button.tsx'
import { Icon } from './icon.tsx'

export interface Column<Row> {
  key: string
  title: string
  render: (row: Row) => ComponentChildren
  align?: 'end'
  /** The values of `sort` for both directions, the better first one first. */
  sorts?: readonly [first: string, second?: string]
  /** On narrow screens: `title` is the row's first line, `end` stands beside it, `line` is a labelled line, `hide` is left out. */
  narrow?: 'title' | 'end' | 'line' | 'hide'
  width?: string
}

export interface DataTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  getKey: (row: Row) => string
  /** The page of a row; the first column becomes the link. */
  toHref?: (row: Row) => string
  sort?: string
  onSort?: (sort: string) => void
  /** Shown in place of rows. */
  empty?: ComponentChildren
  isStale?: boolean
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, getKey, toHref, empty, isStale } = props
  return (
    <div class={`table${isStale ? ' stale' : ''}`}>
      <NarrowSort {...props} />
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={getKey(row)}>
              {columns.map(({ key, title, render, align, narrow = 'line' }, index) => (
                <td key={key} class={`at-${narrow}${align ? ` ${align}` : ''}`} data-label={title}>
                  {toHref && index === 0 ? (
                    <a class="row-link" href={toHref(row)}>
                      {render(row)}
                    </a>
                  ) : (
                    render(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && empty}
    </div>
  )
}

interface SortProps {
  sort?: string
  onSort?: (sort: string) => void
}

function HeadCell<Row>({ column, sort, onSort }: SortProps & { column: Column<Row> }) {
  const { title, sorts, align, width } = column
  const direction = sort === undefined ? -1 : (sorts?.indexOf(sort) ?? -1)
  const isDescending = sort?.startsWith('-') === true
  const style = width ? { width } : undefined
  if (!sorts || !onSort)
    return (
      <th class={align} style={style} scope="col">
        <span>{title}</span>
      </th>
    )
  const next = direction === 0 ? (sorts[1] ?? sorts[0]) : sorts[0]
  return (
    <th
      class={align}
      style={style}
      scope="col"
      aria-sort={direction < 0 ? undefined : isDescending ? 'descending' : 'ascending'}
    >
      <button type="button" onClick={() => onSort(next)}>
        {title}
        {direction >= 0 && <Icon name={isDescending ? 'down' : 'up'} size={14} />}
      </button>
    </th>
  )
}

/** The head is not shown on narrow screens, so its orders are a list to choose from. */
function NarrowSort<Row>({ columns, sort, onSort }: SortProps & { columns: readonly Column<Row>[] }) {
  const sortable = columns.filter(({ sorts }) => sorts)
  if (!onSort || sortable.length === 0) return null
  return (
    <div class="sort-narrow">
      <select
        aria-label={texts.table.sort}
        value={sort ?? ''}
        onChange={(event) => onSort(event.currentTarget.value)}
      >
        {sortable.flatMap(({ sorts = [''], title }) =>
          sorts.map((value) => (
            <option key={value} value={value}>
              {title} {value?.startsWith('-') ? '↓' : '↑'}
            </option>
          )),
        )}
      </select>
    </div>
  )
}

interface PagerProps {
  from: number
  to: number
  total?: number
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
}

export const Pager = ({ from, to, total, onPrevious, onNext }: PagerProps) => (
  <nav class="pager small" aria-label={texts.table.pages}>
    <span>
      {texts.table.range(
        formatNumber(from),
        formatNumber(to),
        total === undefined ? '' : formatNumber(total),
      )}
    </span>
    <Button class="bare" label={texts.table.previous} disabled={!onPrevious} onClick={() => onPrevious?.()}>
      <Icon name="previous" />
    </Button>
    <Button class="bare" label={texts.table.next} disabled={!onNext} onClick={() => onNext?.()}>
      <Icon name="next" />
    </Button>
  </nav>
)
