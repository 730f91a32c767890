// The messages of an open chat: read page by page in both directions, at most two thousand at a time, and changed by the event stream.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AnyEnvelope } from '../use-events.ts'
import { emptyTimeline, mergeEvent, mergeRecords, type Timeline, trimTimeline, UNLISTED } from './timeline.ts'

const PAGE = 100
const MAX_MESSAGES = 2000
/** Messages of a later page that are here already show that there is no gap between the two. */
const OVERLAP = 10

/** A part of the chat. Offsets count from the newest message, as the gateway's pages do. */
interface Part {
  timeline: Timeline
  /** The offset of each message when nothing had arrived since the part was opened. */
  places: ReadonlyMap<string, number>
  /** Messages that have arrived since. */
  arrived: number
  /** 0 if it ends with the newest message. */
  newest: number
  /** Where the next earlier page begins, or later. */
  oldest: number
  hasEarlier: boolean
  isLoaded: boolean
  error?: unknown
}

const emptyPart: Part = {
  timeline: emptyTimeline,
  places: new Map(),
  arrived: 0,
  newest: 0,
  oldest: 0,
  hasEarlier: false,
  isLoaded: false,
}

interface Source {
  client: InstanceClient
  chatid: string
  /** The latest events of the stream, oldest first. */
  latest: AnyEnvelope[]
  /** Whether the stream is open. */
  live: boolean
}

export type TimelineState = ReturnType<typeof useTimeline>

export function useTimeline({ client, chatid, latest, live }: Source) {
  const [part, setPart] = useState(emptyPart)
  const present = useRef(part)
  present.current = part
  const applied = useRef(0)
  const isAtEnd = useRef(true)
  const findPage = (offset: number) => client.findMessages({ chatid, limit: PAGE, offset })
  const loadNewest = async ({ isFresh = false } = {}) => {
    try {
      const page = await findPage(0)
      setPart((before) => mergeNewest(isFresh ? emptyPart : before, page))
    } catch (error) {
      setPart((before) => ({ ...before, isLoaded: true, error }))
    }
  }
  const loadEarlier = useSingle(async () => {
    let { oldest, hasEarlier } = present.current
    while (hasEarlier) {
      const page = await findPage(oldest)
      setPart((before) => addEarlier(before, page))
      const { messages } = present.current.timeline
      if (page.messages.some(({ messageid }) => !messages.has(messageid))) return
      // Offsets grow with each message that arrives: the whole page was here already.
      oldest = page.nextOffset
      hasEarlier = page.hasMore
    }
  })
  const loadLater = useSingle(async () => {
    const offset = Math.max(0, present.current.newest - PAGE + OVERLAP)
    const page = await findPage(offset)
    const isNext = page.messages.some(({ messageid }) => present.current.timeline.messages.has(messageid))
    // More has arrived than a page holds while the stream was closed.
    if (isNext) setPart((before) => addLater(before, page))
    else await loadNewest({ isFresh: true })
  })
  // Again when the stream opens: there is no event for earlier messages.
  useEffect(() => void loadNewest(), [live])
  useEffect(() => {
    const fresh = latest.filter(({ seq }) => seq > applied.current)
    applied.current = latest.at(-1)?.seq ?? applied.current
    if (fresh.length > 0)
      setPart((before) =>
        boundPart(
          fresh.reduce((now, envelope) => applyEvent(now, envelope, chatid), before),
          isAtEnd.current,
        ),
      )
  }, [latest])
  const storeMessage = (record: MessageRecord) =>
    setPart((before) => {
      const isBeyond = before.newest > 0 && !before.timeline.messages.has(record.messageid)
      return isBeyond ? before : { ...before, timeline: mergeRecords(before.timeline, [record]) }
    })
  const showNewest = () => (present.current.newest > 0 ? loadNewest({ isFresh: true }) : undefined)
  /** In place of the present part. */
  const showPage = (page: Page) => setPart((before) => replacePart(before, page))
  return { ...part, isAtEnd, loadEarlier, loadLater, showNewest, showPage, storeMessage }
}

/** One at a time: a second call gets the promise of the first. */
function useSingle(load: () => Promise<void>): () => Promise<void> {
  const running = useRef<Promise<void> | undefined>(undefined)
  return () => {
    running.current ??= load().finally(() => {
      running.current = undefined
    })
    return running.current
  }
}

export interface Page {
  messages: readonly MessageRecord[]
  offset: number
  nextOffset: number
  hasMore: boolean
}

function mergeNewest(before: Part, page: Page): Part {
  // Elsewhere in the chat, the way back is by later pages.
  if (before.newest > 0) return before
  const { messages, nextOffset, hasMore } = page
  const isNext = !hasMore || messages.some(({ messageid }) => before.timeline.messages.has(messageid))
  const { timeline, places, arrived, oldest, hasEarlier } = isNext ? before : emptyPart
  const isLonger = oldest > nextOffset
  return {
    timeline: mergeRecords(timeline, messages),
    places: addPlaces(places, page, arrived),
    arrived,
    newest: 0,
    oldest: isLonger ? oldest : nextOffset,
    hasEarlier: isLonger ? hasEarlier : hasMore,
    isLoaded: true,
  }
}

const replacePart = ({ arrived }: Part, page: Page): Part => ({
  timeline: mergeRecords(emptyTimeline, page.messages),
  places: addPlaces(new Map(), page, arrived),
  arrived,
  newest: page.offset,
  oldest: page.nextOffset,
  hasEarlier: page.hasMore,
  isLoaded: true,
})

function addPlaces(places: Part['places'], { messages, offset }: Page, arrived: number): Part['places'] {
  const added = new Map(places)
  messages.forEach(({ messageid }, index) => void added.set(messageid, offset + index - arrived))
  return added
}

function addEarlier(before: Part, page: Page): Part {
  const timeline = mergeRecords(before.timeline, page.messages, { isEarlier: true })
  const places = addPlaces(before.places, page, before.arrived)
  const { nextOffset: oldest, hasMore: hasEarlier } = page
  return trimLatest({ ...before, timeline, places, oldest, hasEarlier }, MAX_MESSAGES)
}

function addLater(before: Part, page: Page): Part {
  const timeline = mergeRecords(before.timeline, page.messages)
  const places = addPlaces(before.places, page, before.arrived)
  return trimEarliest({ ...before, timeline, places, newest: page.offset })
}

function trimLatest(part: Part, max: number): Part {
  if (part.timeline.messages.size <= max) return part
  const timeline = trimTimeline(part.timeline, max, 'oldest')
  const last = [...timeline.messages.keys()].at(-1) ?? ''
  return { ...part, timeline, newest: (part.places.get(last) ?? 0) + part.arrived }
}

function trimEarliest(part: Part): Part {
  if (part.timeline.messages.size <= MAX_MESSAGES) return part
  const timeline = trimTimeline(part.timeline, MAX_MESSAGES, 'newest')
  const [first = ''] = timeline.messages.keys()
  const places = new Map([...part.places].filter(([id]) => timeline.messages.has(id)))
  return {
    ...part,
    timeline,
    places,
    oldest: (part.places.get(first) ?? 0) + part.arrived + 1,
    hasEarlier: true,
  }
}

function applyEvent(part: Part, envelope: AnyEnvelope, chatid: string): Part {
  if (envelope.EventType !== 'messages' || envelope.message.chatid !== chatid)
    return { ...part, timeline: mergeEvent(part.timeline, envelope, chatid) }
  const { messageid, type, reaction } = envelope.message
  if (UNLISTED.includes(type) || part.places.has(messageid))
    return { ...part, timeline: mergeEvent(part.timeline, envelope, chatid) }
  const arrived = part.arrived + 1
  const places = new Map(part.places).set(messageid, -arrived)
  const isBeyond = part.newest > 0
  // A message beyond what is shown comes with the later pages.
  const timeline = isBeyond && !reaction ? part.timeline : mergeEvent(part.timeline, envelope, chatid)
  return { ...part, timeline, places, arrived, newest: isBeyond ? part.newest + 1 : 0 }
}

/** What arrives while a page stays open is bounded too. */
function boundPart(part: Part, isAtEnd: boolean): Part {
  if (part.timeline.messages.size <= MAX_MESSAGES + PAGE) return part
  return isAtEnd && part.newest === 0 ? trimEarliest(part) : trimLatest(part, MAX_MESSAGES)
}
