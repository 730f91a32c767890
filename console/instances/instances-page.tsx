// All instances as a table that sorts, filters and searches. What is shown stands in the address.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formatNumber } from '../formats.ts'
import { toHash, useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { TrailPager } from '../ui/trail-pager.tsx'
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
  const { state, reason, webhook, events, host, search, after } = query
  const sort = SORTS.find((each) => each === query.sort)
  const loaded = useLoad(
    () =>
      admin.instances.search({ state, reason, webhook, events, host, search, sort, after, limit: PAGE_ROWS }),
    [admin, state, reason, webhook, events, host, search, sort, after],
    RELOAD_MS,
  )
  const [creating, setCreating] = useState(false)
  const isFiltered = FILTERS.some((name) => query[name])
  const actions = canCreate && (
    <Button class="main" onClick={() => setCreating(true)}>
      <Icon name="plus" size={16} />
      {words.create}
    </Button>
  )
  return (
    <ListPage
      head={{ title: words.title, count: loaded.value && formatNumber(loaded.value.total), actions }}
      filters={<InstanceFilters admin={admin} query={query} setQuery={setQuery} />}
      loaded={loaded}
      skeletonRows={8}
      getRows={({ instances }) => instances}
      label={words.title}
      columns={instanceColumns}
      getKey={({ id }) => id}
      toHref={({ id }) => toHash('instances', id)}
      sort={sort ?? 'name'}
      onSort={(chosen) => setQuery({ sort: chosen === 'name' ? '' : chosen, after: '', from: '' })}
      empty={isFiltered ? <NoMatch setQuery={setQuery} /> : <NoInstances action={actions} />}
      renderMore={({ instances, next, total }) => (
        <TrailPager
          cursor="after"
          pageRows={PAGE_ROWS}
          shownRows={instances.length}
          next={next || undefined}
          total={total}
        />
      )}
    >
      {creating && (
        <CreateInstanceDialog
          admin={admin}
          onCreated={() => void loaded.reload()}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
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
