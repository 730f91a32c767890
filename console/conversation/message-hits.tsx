// What a search finds in texts of messages, in all chats or in one, and the part of a chat around a hit. Loaded with the first search.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { foldText } from '../fold-text.ts'
import { formatId } from '../format-id.ts'
import { formatMentions, formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import type { Page } from './use-timeline.ts'

const words = texts.conversation.hits
const LIMIT = 30
const PAUSE_MS = 250
/** Characters of a text before its first word that was found. */
const LEAD = 30

interface Props {
  client: InstanceClient
  search: string
  /** Only messages of this chat; empty for all. */
  within: string
  findName: (chatid: string) => string
  toHitHash: (message: MessageRecord) => string
  /** The message that is shown. */
  current: string
  onEverywhere: () => void
}

interface Found {
  messages: readonly MessageRecord[]
  hasMore: boolean
  complete?: boolean | undefined
}

export function MessageHits(props: Props) {
  const { search, within, toHitHash, current, onEverywhere } = props
  const { found, action, nameChat, loadMore } = useHits(props)
  return (
    <section class="hits" aria-label={words.title}>
      <div class="line even small quiet">
        <h3>{within ? words.within(nameChat(within)) : words.title}</h3>
        {within && (
          <Button class="small-button" onClick={onEverywhere}>
            {words.everywhere}
          </Button>
        )}
      </div>
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      <div role="status" class="small quiet">
        {action.busy && texts.loading}
        {found?.messages.length === 0 && words.none}
        {found?.complete === false && ` ${words.incomplete}`}
      </div>
      {found?.messages.map((message) => (
        <a
          class="hit"
          key={message.messageid}
          href={toHitHash(message)}
          aria-current={current === message.messageid ? 'true' : undefined}
        >
          <span class="line still even">
            <span class="strong cut">{nameChat(message.chatid) || nameHit(message)}</span>
            <span class="small quiet count">{formatMoment(message.messageTimestamp)}</span>
          </span>
          <Excerpt message={message} search={search} />
        </a>
      ))}
      {found?.hasMore && (
        <Button class="bare" busy={action.busy} onClick={() => action.run(loadMore)}>
          {words.more}
        </Button>
      )}
    </section>
  )
}

/** The hits, in pages, with the names of their chats. */
function useHits({ client, search, within, findName }: Props) {
  const [found, setFound] = useState<Found>()
  const action = useAction()
  const turn = useRef(0)
  const names = useRef(new Map<string, string>())
  const nameChat = (chatid: string) => names.current.get(chatid) ?? ''
  /** Own messages and the chat that is searched have no name with them. */
  const readNames = async (ids: string[]) => {
    for (const id of new Set(ids.filter((each) => each && !nameChat(each)))) {
      const known = findName(id) || (await client.findChats({ wa_chatid: id, limit: 1 })).chats[0]?.wa_name
      names.current.set(id, known || formatId(id))
    }
  }
  const loadPage = async (before: readonly MessageRecord[]) => {
    const present = ++turn.current
    const beforeId = before.at(-1)?.messageid
    const filter = { ...(within && { chatid: within }), ...(beforeId && { beforeId }) }
    const page = await client.findMessages({ search, limit: LIMIT, ...filter })
    await readNames([within, ...page.messages.map((message) => (nameHit(message) ? '' : message.chatid))])
    if (present === turn.current) setFound({ ...page, messages: [...before, ...page.messages] })
  }
  useEffect(() => {
    setFound(undefined)
    const start = () => action.run(() => (isWord(search) ? loadPage([]) : readNames([within])))
    const timer = setTimeout(start, PAUSE_MS)
    return () => {
      turn.current++
      clearTimeout(timer)
    }
  }, [client, search, within])
  return { found, action, nameChat, loadMore: () => loadPage(found?.messages ?? []) }
}

const nameHit = ({ isGroup, groupName, fromMe, senderName }: MessageRecord): string =>
  isGroup ? groupName : fromMe ? '' : senderName

/** With the words that were found marked. */
function Excerpt({ message, search }: { message: MessageRecord; search: string }) {
  const { fromMe, isGroup, senderName, content } = message
  const author = fromMe ? texts.conversation.you : isGroup ? senderName : ''
  const text = [formatMentions(message), content.fileName].filter(Boolean).join(' · ')
  const wanted = splitWords(foldText(search)).filter(isWord)
  const parts = splitWords(text)
  const isHit = (part: string) => isWord(part) && wanted.includes(foldText(part))
  const first = parts.findIndex(isHit)
  const lead = parts.slice(0, Math.max(0, first)).join('')
  const shown =
    first < 0 ? parts : [lead.length > LEAD ? `…${lead.slice(-LEAD)}` : lead, ...parts.slice(first)]
  return (
    <span class="small quiet cut">
      {author && `${author}: `}
      {shown.map((part, index) => (isHit(part) ? <mark key={index}>{part}</mark> : part))}
    </span>
  )
}

/** Words, and what is between them. */
const splitWords = (text: string): string[] => text.split(/([\p{L}\p{M}\p{N}]+)/u)
const isWord = (part: string): boolean => /[\p{L}\p{N}]/u.test(part)

const PAGE = 100
/** Messages before the place that was found. */
const OVERLAP = 40

/** The messages around this one. Messages are listed by time: that of its second is found in a dozen small requests, however far back it is. */
export async function loadAround(client: InstanceClient, id: string): Promise<Page> {
  const [message] = (await client.findMessages({ id })).messages
  if (!message) throw new Error(words.gone)
  const { chatid } = message
  const isNewerAt = async (offset: number) => {
    const [at] = (await client.findMessages({ chatid, limit: 1, offset })).messages
    return at !== undefined && at.messageTimestamp > message.messageTimestamp
  }
  let low = 0
  let high = 64
  while (await isNewerAt(high)) {
    low = high + 1
    high *= 4
  }
  while (low < high) {
    const middle = (low + high) >> 1
    if (await isNewerAt(middle)) low = middle + 1
    else high = middle
  }
  let offset = Math.max(0, low - OVERLAP)
  for (;;) {
    const page = await client.findMessages({ chatid, limit: PAGE, offset })
    if (page.messages.some(({ messageid }) => messageid === id)) return page
    if (!page.hasMore) throw new Error(words.gone)
    offset = page.nextOffset - OVERLAP
  }
}
