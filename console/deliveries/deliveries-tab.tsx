// The events of an instance as a log: what is wrong with delivery, filters that stand in the address, pages back to the first event.

import { useMemo, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import { useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState, Skeleton } from '../ui/notices.tsx'
import { DeliveryBanner, type HealthProps } from './delivery-banner.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { EventDrawer } from './event-drawer.tsx'
import { isFiltered, parseFilter, toEventFilter } from './event-filter.ts'
import { EventList } from './event-list.tsx'
import { type EventLog, type EventReader, useEventLog } from './event-log.ts'
import { OutcomeChart } from './outcome-chart.tsx'
import { type ReplayChoice, ReplayDialog } from './replay-dialog.tsx'

const words = texts.deliveries

interface Props extends Omit<HealthProps, 'client'> {
  reader: EventReader
  /** Undefined for a token that may only read: then there are no actions. */
  client: InstanceClient | undefined
  canSaveServer: boolean
}

export function DeliveriesTab({ reader, client, health, onChange, canSaveServer }: Props) {
  const { query, setQuery } = useRouteQuery()
  const filter = useMemo(
    () => parseFilter(query),
    [query.status, query.type, query.range, query.from, query.to, query.messageid],
  )
  const eventFilter = useMemo(() => toEventFilter(filter, Date.now()), [filter])
  const log = useEventLog(reader, eventFilter)
  const [replaying, setReplaying] = useState<ReplayChoice>()
  const reloadAll = () => Promise.all([log.reload(), onChange()])
  const clearFilters = () => setQuery({ status: '', type: '', range: '', from: '', to: '', messageid: '' })
  return (
    <div class="stack">
      <DeliveryBanner
        {...{ client, health, canSaveServer }}
        onChange={reloadAll}
        onReplayDead={client && (() => setReplaying({ kind: 'dead' }))}
      />
      {log.events.length > 1 && (
        <div class="wide-only">
          <OutcomeChart events={log.events} />
        </div>
      )}
      <DeliveryFilters filter={filter} setQuery={setQuery}>
        {client && (
          <Button onClick={() => setReplaying({ kind: 'dead' })}>
            <Icon name="refresh" size={16} />
            {words.replay}
          </Button>
        )}
      </DeliveryFilters>
      {log.error !== undefined && <ErrorNote error={log.error} />}
      {!log.isLoaded && log.error === undefined && <Skeleton rows={8} />}
      {log.isLoaded && log.events.length === 0 && (
        <NoEvents isFiltered={isFiltered(filter)} onClear={clearFilters} />
      )}
      {log.events.length > 0 && <LogBody log={log} onOpen={(event) => setQuery({ event })} />}
      {query.event && (
        <EventDrawer
          key={query.event}
          {...{ reader, client, health }}
          id={query.event}
          onChange={reloadAll}
          onClose={() => setQuery({ event: '' })}
        />
      )}
      {client && replaying && (
        <ReplayDialog
          {...{ client, health }}
          choice={replaying}
          onDone={reloadAll}
          onClose={() => setReplaying(undefined)}
        />
      )}
    </div>
  )
}

const LogBody = ({ log, onOpen }: { log: EventLog; onOpen: (id: string) => void }) => (
  <div class="stack tight">
    <EventList events={log.events} onOpen={onOpen} onEnd={log.isComplete ? undefined : log.loadMore} />
    <div class="line even small quiet">
      <span role="status">
        {log.isComplete ? words.allLoaded(log.events.length) : words.loaded(log.events.length)}
      </span>
      {!log.isComplete && (
        <Button class="bare" busy={log.isLoadingMore} onClick={log.loadMore}>
          {words.more}
        </Button>
      )}
    </div>
  </div>
)

const NoEvents = ({ isFiltered: some, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  some ? (
    <EmptyState
      icon="filter"
      title={words.noMatch}
      actions={<Button onClick={onClear}>{words.clearFilters}</Button>}
    />
  ) : (
    <EmptyState icon="webhook" title={words.none} hint={words.noneHint} />
  )
