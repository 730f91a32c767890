// A page of one list: its head, its filters, its rows as a table, and the way to more rows. And what any page shows of what it loads.

import type { ComponentChildren } from 'preact'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './notices.tsx'
import { PageHeader, type PageHeaderProps } from './page-header.tsx'
import type { Loaded } from './use-load.ts'

interface LoadedContentProps<Value> {
  loaded: Pick<Loaded<Value>, 'value' | 'error'>
  /** Of the skeleton that is shown before the first load has ended. */
  skeletonRows?: number | undefined
  children: (value: Value) => ComponentChildren
}

export const LoadedContent = <Value,>({
  loaded: { value, error },
  skeletonRows = 5,
  children,
}: LoadedContentProps<Value>) => (
  <>
    {error !== undefined && <ErrorNote error={error} />}
    {value === undefined && error === undefined && <Skeleton rows={skeletonRows} />}
    {value !== undefined && children(value)}
  </>
)

interface ListPageProps<Value, Row> extends Omit<DataTableProps<Row>, 'rows' | 'isStale'> {
  loaded: Pick<Loaded<Value>, 'value' | 'error' | 'isStale'>
  getRows: (value: Value) => readonly Row[]
  /** Undefined for a tab, which stands below the head of its instance. */
  head?: PageHeaderProps
  filters?: ComponentChildren
  skeletonRows?: number
  /** Stands below the rows. */
  renderMore?: (value: Value) => ComponentChildren
  /** The open dialogs. */
  children?: ComponentChildren
}

export function ListPage<Value, Row>({
  loaded,
  getRows,
  head,
  filters,
  skeletonRows,
  renderMore,
  children,
  ...table
}: ListPageProps<Value, Row>) {
  const content = (
    <>
      {head && <PageHeader {...head} />}
      {filters}
      <LoadedContent loaded={loaded} skeletonRows={skeletonRows}>
        {(value) => (
          <>
            <DataTable {...table} rows={getRows(value)} isStale={loaded.isStale} />
            {renderMore?.(value)}
          </>
        )}
      </LoadedContent>
      {children}
    </>
  )
  return head ? <main class="page">{content}</main> : content
}
