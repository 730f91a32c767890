// All instances as a table that sorts, filters and searches. What is shown stands in the address.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { InstancePage } from '@msgnet/shared/contract/responses/overview-responses.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formatNumber } from '../formats.ts'
import { toHash, useRouteQuery } from '../hash-route.ts'
import { usePageTrail } from '../page-trail.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { DataTable, Pager } from '../ui/data-table.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState, Skeleton } from '../ui/notices.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useLoad } from '../ui/use-load.ts'
import { CreateInstanceDialog } from './create-instance-dialog.tsx'
import { instanceColumns } from './instance-columns.tsx'
import { FILTERS, InstanceFilters, type SetQuery } from './instance-filters.tsx'

const words = texts.instances
const RELOAD_MS = 3000
const PAGE_ROWS = 50
/** Another word in the address sorts by name. */
const SORTS = [
  'name',
  '-name',
  'state',
  '-pending',
  'lastEvent',
  '-lastEvent',
  'created',
  '-created',
] as const

interface Props {
  admin: AdminClient
  canCreate: boolean
}

export function InstancesPage({ admin, canCreate }: Props) {
  const { query, setQuery } = useRouteQuery()
  const { state, reason, webhook, host, search, after } = query
  const sort = SORTS.find((each) => each === query.sort)
  const { value, error, reload } = useLoad(
    () => admin.instances.search({ state, reason, webhook, host, search, sort, after, limit: PAGE_ROWS }),
    [admin, state, reason, webhook, host, search, sort, after],
    RELOAD_MS,
  )
  const [creating, setCreating] = useState(false)
  const isFiltered = FILTERS.some((name) => query[name])
  const createButton = canCreate && (
    <Button class="main" onClick={() => setCreating(true)}>
      <Icon name="plus" size={16} />
      {words.create}
    </Button>
  )
  return (
    <main class="page">
      <PageHeader
        title={words.title}
        {...(value && { count: formatNumber(value.total) })}
        actions={createButton}
      />
      <InstanceFilters admin={admin} query={query} setQuery={setQuery} />
      {error !== undefined && <ErrorNote error={error} />}
      {!value && error === undefined && <Skeleton rows={8} />}
      {value && (
        <DataTable
          label={words.title}
          columns={instanceColumns}
          rows={value.instances}
          getKey={({ id }) => id}
          toHref={({ id }) => toHash('instances', id)}
          sort={sort ?? 'name'}
          onSort={(chosen) => setQuery({ sort: chosen === 'name' ? '' : chosen, after: '', from: '' })}
          empty={isFiltered ? <NoMatch setQuery={setQuery} /> : <NoInstances action={createButton} />}
        />
      )}
      {value && <PageTurner page={value} />}
      {creating && (
        <CreateInstanceDialog
          admin={admin}
          onCreated={() => void reload()}
          onClose={() => setCreating(false)}
        />
      )}
    </main>
  )
}

const NoMatch = ({ setQuery }: { setQuery: SetQuery }) => (
  <EmptyState
    icon="search"
    title={words.noMatch}
    hint={words.noMatchHint}
    actions={<ClearButton setQuery={setQuery} />}
  />
)

const ClearButton = ({ setQuery }: { setQuery: SetQuery }) => (
  <Button
    onClick={() => setQuery(Object.fromEntries([...FILTERS, 'after', 'from'].map((name) => [name, ''])))}
  >
    {words.clear}
  </Button>
)

const NoInstances = ({ action }: { action: ComponentChildren }) => (
  <EmptyState icon="instances" title={words.none} hint={words.noneHint} actions={action} />
)

function PageTurner({ page: { instances, next, total } }: { page: InstancePage }) {
  const { from, turnForward, turnBack } = usePageTrail('after', PAGE_ROWS)
  if (!next && !turnBack) return null
  return (
    <Pager
      from={from}
      to={from + instances.length - 1}
      total={total}
      onPrevious={turnBack}
      onNext={next ? () => turnForward(next, instances.length) : undefined}
    />
  )
}
