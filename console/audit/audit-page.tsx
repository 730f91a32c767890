// The audit log as a table: who did what, from the newest entry back to the first. What is shown stands in the address.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { useMemo } from 'preact/hooks'
import { toDate } from '../formats.ts'
import { type RouteQuery, useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Choice, FilterChips, SearchField, TimeField, Toolbar } from '../ui/filters.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { TrailPager } from '../ui/trail-pager.tsx'
import { useLoad } from '../ui/use-load.ts'
import { type Action, auditColumns } from './audit-columns.tsx'
import { type KnownNames, nameObjects } from './name-objects.ts'

const words = texts.audit
const RELOAD_MS = 10_000
const PAGE_ROWS = 50
const FILTERS = ['actor', 'action', 'object', 'since', 'until'] as const
const ACTORS = ['root', 'token', 'instance', 'scoped', 'link'] as const
const ACTIONS = Object.entries(words.actions)

type SetQuery = ReturnType<typeof useRouteQuery>['setQuery']

export function AuditPage({ admin }: { admin: AdminClient }) {
  const { query, setQuery } = useRouteQuery()
  const { before = '' } = query
  const names = useMemo((): KnownNames => new Map(), [admin])
  const loaded = useLoad(
    () => loadEntries(admin, query, names),
    [admin, before, query.readings, ...FILTERS.map((name) => query[name])],
    before ? 0 : RELOAD_MS,
  )
  // A filter begins at the newest entry.
  const setFilter: SetQuery = (changes, options) => setQuery({ before: '', from: '', ...changes }, options)
  return (
    <ListPage
      head={{ title: texts.nav.audit, description: words.description }}
      filters={<AuditFilters query={query} setFilter={setFilter} />}
      loaded={loaded}
      skeletonRows={8}
      getRows={({ entries }) => entries}
      label={texts.nav.audit}
      columns={auditColumns}
      getKey={({ seq }) => String(seq)}
      empty={<NoEntries isFiltered={FILTERS.some((name) => query[name])} setFilter={setFilter} />}
      renderMore={({ entries, hasMore }) => (
        <TrailPager
          cursor="before"
          pageRows={PAGE_ROWS}
          shownRows={entries.length}
          next={hasMore ? String(entries.at(-1)?.seq ?? '') : undefined}
        />
      )}
    />
  )
}

/** One entry more than a page shows, to know whether there is a next page. */
async function loadEntries(admin: AdminClient, query: RouteQuery, names: KnownNames) {
  const { action, object, since, until, before } = query
  // Whoever asks for one action gets it, a reading too.
  const changes = query.readings || action ? undefined : 'true'
  const { entries } = await admin.audit({
    actor: ACTORS.find((each) => each === query.actor),
    action: (action || undefined) as Action | undefined,
    target: object || undefined,
    since: toDate(since)?.toISOString(),
    until: toDate(until)?.toISOString(),
    changes,
    beforeSeq: Number(before) || undefined,
    limit: PAGE_ROWS + 1,
  })
  const shown = await nameObjects(admin, entries.slice(0, PAGE_ROWS), names)
  return { entries: shown, hasMore: entries.length > PAGE_ROWS }
}

const AuditFilters = ({ query, setFilter }: { query: RouteQuery; setFilter: SetQuery }) => (
  <div class="stack tight">
    <Toolbar>
      <FilterChips
        label={words.actor}
        multiple={false}
        options={ACTORS.map((value) => ({ value, label: words.actors[value] }))}
        value={query.actor ? [query.actor] : []}
        onChange={([actor = '']) => setFilter({ actor })}
      />
      <FilterChips
        label={words.reading}
        multiple={false}
        options={[{ value: 'changes', label: words.changesOnly }]}
        value={query.readings ? [] : ['changes']}
        onChange={([changes = '']) => setFilter({ readings: changes ? '' : 'yes' })}
      />
    </Toolbar>
    <Toolbar>
      <Choice
        label={words.action}
        value={query.action ?? ''}
        options={[['', words.anyAction], ...ACTIONS]}
        onChange={(action) => setFilter({ action })}
      />
      <TimeField label={words.from} value={query.since ?? ''} onChange={(since) => setFilter({ since })} />
      <TimeField label={words.to} value={query.until ?? ''} onChange={(until) => setFilter({ until })} />
      <SearchField
        label={words.objectId}
        placeholder={words.objectId}
        value={query.object ?? ''}
        onInput={(text) => setFilter({ object: text.trim() }, { replace: true })}
      />
    </Toolbar>
  </div>
)

function NoEntries({ isFiltered, setFilter }: { isFiltered: boolean; setFilter: SetQuery }) {
  if (!isFiltered) return <EmptyState icon="list" title={words.none} hint={words.noneHint} />
  const clearFilters = () => setFilter(Object.fromEntries(FILTERS.map((name) => [name, ''])))
  return (
    <EmptyState
      icon="search"
      title={words.noMatch}
      hint={words.noMatchHint}
      actions={<Button onClick={clearFilters}>{words.clear}</Button>}
    />
  )
}
