// The events of an instance as a log: what is wrong with delivery, filters that stand in the address, pages back to the first event.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { EmptyState, Skeleton } from '../ui/notices.tsx'
import { DeliveryBanners } from './delivery-banners.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { EventDrawer } from './event-drawer.tsx'
import {
  findOutcome,
  findWorstOutcome,
  isFiltered,
  type LogFilter,
  parseFilter,
  toEventFilter,
  viewAt,
} from './event-filter.ts'
import { EventList } from './event-list.tsx'
import { type EventLog, type EventReader, useEventLog } from './event-log.ts'
import { findWebhook, type InstanceWebhook } from './instance-webhooks.ts'
import { OutcomeChart } from './outcome-chart.tsx'
import { type ReplayChoice, ReplayDialog } from './replay-dialog.tsx'
import type { Webhooks } from './use-webhooks.ts'

const words = texts.deliveries
/** Of the events of one webhook, before older ones are loaded for more. */
const ENOUGH = 20
/** Events that are loaded by themselves to find them. */
const MAX_SEARCHED = 1000

interface Props {
  reader: EventReader
  /** Undefined for a token that may only read: then there are no actions. */
  client: InstanceClient | undefined
  webhooks: Webhooks
  /** Loads the health again. */
  onChange: () => Promise<unknown>
  canSaveServer: boolean
}

export function DeliveriesTab({ reader, client, webhooks, onChange, canSaveServer }: Props) {
  const { query, setQuery, toChangedHash } = useRouteQuery()
  const filter = useMemo(
    () => parseFilter(query),
    [query.status, query.type, query.range, query.from, query.to, query.messageid, query.webhook],
  )
  const { active } = webhooks
  const only = active.length === 1 ? active[0] : undefined
  const chosen = findWebhook(active, filter.webhook) ?? only
  const log = useFilteredLog(reader, filter, chosen)
  const [replaying, setReplaying] = useState<ReplayChoice>()
  const reloadAll = () => Promise.all([log.reload(), onChange()])
  const clearFilters = () =>
    setQuery({ status: '', type: '', range: '', from: '', to: '', messageid: '', webhook: '' })
  const askReplay = (webhook: InstanceWebhook | undefined) =>
    setReplaying({ kind: 'dead', webhook: webhook?.record?.id ?? '' })
  return (
    <div class="stack">
      <DeliveryBanners
        {...{ client, webhooks, chosen, canSaveServer }}
        onChange={reloadAll}
        onReplayDead={client && askReplay}
      />
      {log.events.length > 1 && (
        <div class="wide-only">
          <OutcomeChart
            events={log.events}
            getOutcome={chosen ? findOutcome : findWorstOutcome}
            toSpanHash={(from, to) => toChangedHash({ range: 'custom', from, to })}
          />
        </div>
      )}
      <DeliveryFilters filter={filter} webhooks={active} setQuery={setQuery}>
        {client && (
          <Button onClick={() => askReplay(chosen)}>
            <Icon name="refresh" size={16} />
            {words.replay}
          </Button>
        )}
      </DeliveryFilters>
      {log.error !== undefined && <ErrorNote error={log.error} />}
      {!log.isLoaded && log.error === undefined && <Skeleton rows={8} />}
      {log.isLoaded && log.events.length === 0 && (
        <NoEvents isFiltered={isFiltered(filter)} log={log} onClear={clearFilters} />
      )}
      {log.events.length > 0 && (
        <LogBody log={log} webhooks={chosen ? [] : active} onOpen={(event) => setQuery({ event })} />
      )}
      <DeliveryDialogs
        {...{ reader, client, webhooks: active, replaying }}
        openId={query.event}
        onChange={reloadAll}
        onClose={() => (replaying ? setReplaying(undefined) : setQuery({ event: '' }))}
      />
    </div>
  )
}

interface DialogsProps extends Pick<Props, 'reader' | 'client'> {
  /** Those that get events. */
  webhooks: readonly InstanceWebhook[]
  /** Of the event whose details are shown. */
  openId: string | undefined
  replaying: ReplayChoice | undefined
  onChange: () => Promise<unknown>
  onClose: () => void
}

const DeliveryDialogs = ({
  reader,
  client,
  webhooks,
  openId,
  replaying,
  onChange,
  onClose,
}: DialogsProps) => (
  <>
    {openId && <EventDrawer key={openId} {...{ reader, client, webhooks, onChange, onClose }} id={openId} />}
    {client && replaying && (
      <ReplayDialog {...{ client, webhooks, onClose }} choice={replaying} onDone={onChange} />
    )}
  </>
)

type FilteredLog = ReturnType<typeof useFilteredLog>

/** The API does not filter by a webhook beside the first: of the loaded events, those that are for it are shown. */
function useFilteredLog(reader: EventReader, filter: LogFilter, chosen: InstanceWebhook | undefined) {
  const otherId = chosen?.record?.first === false ? chosen.record.id : undefined
  const eventFilter = useMemo(
    () => toEventFilter(filter, Date.now(), otherId !== undefined),
    [filter, otherId],
  )
  const log = useEventLog(reader, eventFilter)
  const events = useMemo(() => {
    if (!otherId) return log.events
    // Where it is the only one, the events that are for none stay.
    const found = log.events.flatMap(
      (event) => viewAt(event, otherId) ?? (filter.webhook === '' ? event : []),
    )
    return filter.outcome ? found.filter((event) => findOutcome(event) === filter.outcome) : found
  }, [log.events, otherId, filter.webhook, filter.outcome])
  const searched = log.events.length
  const isSearching = otherId && log.isLoaded && !log.isComplete
  useEffect(() => {
    if (isSearching && events.length < ENOUGH && searched < MAX_SEARCHED) void log.loadMore()
  }, [isSearching, events.length, searched, log.isLoadingMore])
  return { ...log, events, searched }
}

interface BodyProps {
  log: FilteredLog
  webhooks: readonly InstanceWebhook[]
  onOpen: (id: string) => void
}

const LogBody = ({ log, webhooks, onOpen }: BodyProps) => (
  <div class="stack tight">
    {webhooks.length > 1 && <p class="small quiet">{words.severalHint}</p>}
    <EventList
      {...{ webhooks, onOpen }}
      events={log.events}
      onEnd={log.isComplete ? undefined : log.loadMore}
    />
    <LogEnd log={log} />
  </div>
)

const LogEnd = ({ log }: { log: FilteredLog }) => (
  <div class="line even small quiet">
    <span role="status">{describeCount(log)}</span>
    {!log.isComplete && (
      <Button class="bare" busy={log.isLoadingMore} onClick={log.loadMore}>
        {words.more}
      </Button>
    )}
  </div>
)

function describeCount({
  events,
  searched,
  isComplete,
}: Pick<EventLog, 'events' | 'isComplete'> & { searched: number }) {
  if (events.length < searched) return words.found(events.length, searched)
  return isComplete ? words.allLoaded(events.length) : words.loaded(events.length)
}

interface NoEventsProps {
  isFiltered: boolean
  log: FilteredLog
  onClear: () => void
}

const NoEvents = ({ isFiltered: some, log, onClear }: NoEventsProps) =>
  some ? (
    <>
      <EmptyState
        icon="filter"
        title={words.noMatch}
        actions={<Button onClick={onClear}>{words.clearFilters}</Button>}
      />
      {log.searched > 0 && <LogEnd log={log} />}
    </>
  ) : (
    <EmptyState icon="webhook" title={words.none} hint={words.noneHint} />
  )
