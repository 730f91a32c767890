// Loads the events of an instance page by page, newest first, and keeps what is loaded true while it is looked at.

import type { EventFilter, InstanceClient } from '@msgnet/client/instance-client.ts'
import type { EventList, EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLoad } from '../ui/use-load.ts'
import { findPageToReload, mergeNewest, PAGE, replaceRange } from './event-pages.ts'

const RELOAD_MS = 3000

/** What a token that may only read can ask. */
export type EventReader = Pick<InstanceClient, 'events' | 'event'>

export type EventLog = ReturnType<typeof useEventLog>

/** `filter` must be the same object for as long as it means the same. */
export function useEventLog(client: EventReader, filter: EventFilter) {
  const [events, setEvents] = useState<readonly EventRecord[]>([])
  const [isComplete, setComplete] = useState(false)
  const known = useRef(events)
  known.current = events
  useMemo(() => {
    setEvents([])
    setComplete(false)
  }, [client, filter])

  const newest = useLoad(() => client.events({ ...filter, limit: PAGE }), [client, filter], RELOAD_MS)
  useEffect(() => {
    const page = newest.value
    if (!page) return
    const merged = mergeNewest(known.current, page)
    setEvents(merged)
    // Where the list begins again, its end is to be looked for again.
    if (merged === page.events) setComplete(!page.hasMore)
  }, [newest.value])
  useReloadOfOlder(client, filter, known, setEvents)

  const older = useOlderPages(client, filter, known, (page) => {
    if (!page.hasMore) setComplete(true)
    setEvents((before) => [
      ...before,
      ...page.events.filter(({ seq }) => seq < (before.at(-1)?.seq ?? Infinity)),
    ])
  })

  return {
    events,
    isLoaded: newest.value !== undefined,
    isComplete,
    isLoadingMore: older.isLoading,
    error: older.error ?? newest.error,
    loadMore: older.loadMore,
    reload: newest.reload,
  }
}

/** Loads one page more below the last event, never two at once. */
function useOlderPages(
  client: EventReader,
  filter: EventFilter,
  known: { current: readonly EventRecord[] },
  onPage: (page: EventList) => void,
) {
  const [state, setState] = useState<{ isLoading: boolean; error?: unknown }>({ isLoading: false })
  const turn = useRef(0)
  const isBusy = useRef(false)
  const latest = useRef(onPage)
  latest.current = onPage
  useMemo(() => {
    turn.current++
    isBusy.current = false
    setState({ isLoading: false })
  }, [client, filter])
  const loadMore = useCallback(async () => {
    const last = known.current.at(-1)
    if (!last || isBusy.current) return
    const mine = turn.current
    isBusy.current = true
    setState({ isLoading: true })
    const [page, error] = await client
      .events({ ...filter, limit: PAGE, beforeSeq: last.seq })
      .then((loaded) => [loaded, undefined] as const)
      .catch((failure: unknown) => [undefined, failure] as const)
    if (mine !== turn.current) return
    isBusy.current = false
    setState({ isLoading: false, error })
    if (page) latest.current(page)
  }, [client, filter])
  return { ...state, loadMore }
}

/** Older pages change too: one of them is loaded again in each turn, those with events that wait first. */
function useReloadOfOlder(
  client: EventReader,
  filter: EventFilter,
  known: { current: readonly EventRecord[] },
  setEvents: (change: (before: readonly EventRecord[]) => readonly EventRecord[]) => void,
): void {
  /** Below the page that was reloaded last. */
  const below = useRef(Number.POSITIVE_INFINITY)
  useEffect(() => {
    const reloadOlderPage = async () => {
      const upper = document.hidden ? undefined : findPageToReload(known.current, below.current)
      if (upper === undefined) return
      // The newest page says so if the gateway is away.
      const page = await client.events({ ...filter, limit: PAGE, beforeSeq: upper }).catch(() => undefined)
      below.current = page?.events.at(-1)?.seq ?? Number.POSITIVE_INFINITY
      if (page) setEvents((before) => replaceRange(before, page.events, upper))
    }
    const timer = setInterval(reloadOlderPage, RELOAD_MS)
    return () => clearInterval(timer)
  }, [client, filter])
}
