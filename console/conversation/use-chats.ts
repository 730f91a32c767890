// The chats of an instance: loaded page by page, and again from the newest when something changed; pinned ones first, archived ones apart.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { toDate } from '../formats.ts'

const PAGE = 50

export type Chats = ReturnType<typeof useChats>

export interface ChatView {
  search: string
  /** Only the archived chats; without it the others. A search finds both. */
  isArchive: boolean
}

interface State {
  /** What the list answers. The list of the view before stays until this one is there. */
  view?: string
  chats: ReadonlyMap<string, ChatRecord>
  nextOffset: number
  hasMore: boolean
  archived: number
  error?: unknown
}

const empty: State = { chats: new Map(), nextOffset: 0, hasMore: false, archived: 0 }

export function useChats(client: InstanceClient, { search, isArchive }: ChatView) {
  const [state, setState] = useState(empty)
  const turn = useRef(0)
  const view = `${isArchive} ${search}`
  const loadPage = async (offset: number) => {
    const present = turn.current
    try {
      const filter = search ? { search } : { wa_archived: isArchive }
      const [page, pinned, archived] = await Promise.all([
        client.findChats({ limit: PAGE, offset, ...filter }),
        offset === 0 ? client.findChats({ limit: PAGE, wa_isPinned: true, ...filter }) : undefined,
        offset === 0 ? client.findChats({ limit: 1, wa_archived: true }) : undefined,
      ])
      if (present !== turn.current) return
      setState((before) => {
        const same = before.view === view ? before : empty
        const loaded = { ...same, view, error: undefined }
        if (!pinned || !archived)
          return { ...loaded, ...readProgress(page), chats: mergeChats(same.chats, page.chats) }
        const known = dropMissing(same.chats, page)
        const chats = mergeChats(known, [...page.chats, ...pinned.chats])
        const first = { ...loaded, chats, archived: archived.pagination.totalRecords }
        // The newest page again says nothing about how far the list was read.
        return same.nextOffset > page.nextOffset ? first : { ...first, ...readProgress(page) }
      })
    } catch (error) {
      if (present === turn.current) setState((before) => ({ ...before, error }))
    }
  }
  const loading = useRef<Promise<void> | undefined>(undefined)
  const loadMore = () => {
    loading.current ??= loadPage(state.nextOffset).finally(() => {
      loading.current = undefined
    })
  }
  const reload = useCoalesced(() => loadPage(0))
  useEffect(() => {
    turn.current++
    loading.current = undefined
    void loadPage(0)
  }, [client, view])
  return {
    list: sortChats(state.chats),
    isLoaded: state.view !== undefined,
    archived: state.archived,
    error: state.error,
    reload,
    loadMore: state.hasMore ? loadMore : undefined,
  }
}

/** One at a time, and once more when it was called meanwhile: a burst of messages is two requests. */
function useCoalesced(load: () => Promise<void>): () => Promise<void> {
  const latest = useRef(load)
  latest.current = load
  const running = useRef<Promise<void> | undefined>(undefined)
  const next = useRef<Promise<void> | undefined>(undefined)
  const start = (): Promise<void> => {
    next.current = undefined
    running.current = latest.current()
    return running.current
  }
  return () => {
    next.current ??= (running.current ?? Promise.resolve()).then(start)
    return next.current
  }
}

interface Page {
  chats: readonly ChatRecord[]
  nextOffset: number
  hasMore: boolean
}

const readProgress = ({ nextOffset, hasMore }: Page) => ({ nextOffset, hasMore })

function mergeChats(
  known: ReadonlyMap<string, ChatRecord>,
  page: readonly ChatRecord[],
): ReadonlyMap<string, ChatRecord> {
  const merged = new Map(known)
  for (const chat of page) merged.set(chat.id, chat)
  return merged
}

/** What would be among the newest and is not was deleted, archived, or taken out of the archive. Those that are pinned come with their own list. */
function dropMissing(
  known: ReadonlyMap<string, ChatRecord>,
  { chats, hasMore }: Page,
): ReadonlyMap<string, ChatRecord> {
  const oldest = hasMore ? Math.min(...chats.map(toTime)) : 0
  return new Map([...known].filter(([, chat]) => toTime(chat) < oldest && !chat.wa_isPinned))
}

const toTime = ({ lastMessageTimestamp }: ChatRecord) => toDate(lastMessageTimestamp)?.getTime() ?? 0

const sortChats = (chats: ReadonlyMap<string, ChatRecord>): ChatRecord[] =>
  [...chats.values()].sort((a, b) => Number(b.wa_isPinned) - Number(a.wa_isPinned) || toTime(b) - toTime(a))
