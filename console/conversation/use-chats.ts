// The chats of an instance: loaded page by page, and again from the newest when something changed.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { ChatRecord } from '../../shared/contract/responses/chat-responses.ts'
import { toDate } from '../formats.ts'

const PAGE = 50

export type Chats = ReturnType<typeof useChats>

interface State {
  /** What the list answers. The list of the search before stays until this one is there. */
  search?: string
  chats: ReadonlyMap<string, ChatRecord>
  nextOffset: number
  hasMore: boolean
  error?: unknown
}

export function useChats(client: InstanceClient, search: string) {
  const [state, setState] = useState<State>({ chats: new Map(), nextOffset: 0, hasMore: false })
  const turn = useRef(0)
  const loading = useRef<Promise<void> | undefined>(undefined)
  const loadPage = async (offset: number) => {
    const present = turn.current
    try {
      const page = await client.findChats({ limit: PAGE, offset, ...(search && { search }) })
      if (present !== turn.current) return
      setState((before) => {
        const isSame = before.search === search
        const chats = mergeChats(isSame ? before.chats : new Map(), page.chats)
        // The newest page again says nothing about how far the list was read.
        if (offset === 0 && isSame && before.nextOffset > page.nextOffset)
          return { ...before, chats, error: undefined }
        return { search, chats, nextOffset: page.nextOffset, hasMore: page.hasMore }
      })
    } catch (error) {
      if (present === turn.current) setState((before) => ({ ...before, error }))
    }
  }
  const loadMore = () => {
    loading.current ??= loadPage(state.nextOffset).finally(() => {
      loading.current = undefined
    })
  }
  useEffect(() => {
    turn.current++
    loading.current = undefined
    void loadPage(0)
  }, [client, search])
  return {
    list: sortChats(state.chats),
    isLoaded: state.search !== undefined,
    error: state.error,
    reload: () => loadPage(0),
    loadMore: state.hasMore ? loadMore : undefined,
  }
}

function mergeChats(
  known: ReadonlyMap<string, ChatRecord>,
  page: readonly ChatRecord[],
): ReadonlyMap<string, ChatRecord> {
  const merged = new Map(known)
  for (const chat of page) merged.set(chat.id, chat)
  return merged
}

const toTime = ({ lastMessageTimestamp }: ChatRecord) => toDate(lastMessageTimestamp)?.getTime() ?? 0

const sortChats = (chats: ReadonlyMap<string, ChatRecord>): ChatRecord[] =>
  [...chats.values()].sort((a, b) => toTime(b) - toTime(a))
