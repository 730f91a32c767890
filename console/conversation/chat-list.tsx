// The list of chats: its search, a row for each chat with its last message, and the start of a new one.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { HistoryProgress } from '@msgnet/shared/contract/history.ts'
import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { useEffect, useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { formatMoment, formatNumber, toDate } from '../formats.ts'
import { describeLastMessage, isMuted } from '../last-message.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, Checkbox } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SearchField } from '../ui/filters.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Skeleton } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import type { StreamState } from '../use-events.ts'
import { HistoryLine } from './history-line.tsx'
import { loadThreadParts } from './load-thread-parts.ts'
import type { OpenChat } from './open-chat.ts'
import { Portrait } from './portrait.tsx'
import { LastThumbnail } from './thumbnail.tsx'
import type { Chats } from './use-chats.ts'

const words = texts.conversation
const ROW_HEIGHT = 62

interface Props {
  client: InstanceClient
  chats: Chats
  history: HistoryProgress
  search: string
  /** The only chat whose messages are searched; empty for all. */
  within: string
  /** The id of the message that is shown. */
  message: string
  stream: StreamState
  /** The id of the open chat. */
  current: string
  toChatHash: (id: string, change?: Record<string, string>) => string
  marksOnOpening: boolean
  onMarkingChange: (on: boolean) => void
  isArchive: boolean
  onArchive: (isOpen: boolean) => void
  onSearch: (search: string, change?: Record<string, string>) => void
  onOpen: (chat: OpenChat) => void
}

export const ChatList = (props: Props) => {
  const { client, chats, search, within, stream, current, toChatHash } = props
  useEffect(() => {
    if (within) document.querySelector<HTMLElement>('.talk-search input')?.focus()
  }, [within])
  return (
    <aside class="talk-side" aria-label={words.chats}>
      <div class="talk-head line still even">
        <h2 class="grow">{words.chats}</h2>
        <Badge kind={stream === 'live' ? 'good' : 'warn moving'}>{words.stream[stream]}</Badge>
        <details class="talk-options">
          <summary class="button bare" aria-label={words.options} title={words.options}>
            <Icon name="settings" size={18} />
          </summary>
          <div class="card small">
            <Checkbox checked={props.marksOnOpening} onChange={props.onMarkingChange}>
              {words.markOnOpening}
            </Checkbox>
          </div>
        </details>
      </div>
      <div class="talk-search">
        <SearchField
          value={search}
          onInput={(value) => props.onSearch(value, value ? undefined : { within: '' })}
          label={words.searchChats}
          placeholder={words.searchHint}
        />
      </div>
      {chats.error !== undefined && <ErrorNote error={chats.error} />}
      {!chats.isLoaded && chats.error === undefined && <Skeleton rows={6} />}
      <HistoryLine history={props.history} onProgress={() => void chats.reload()} />
      {!search && <ArchiveLine {...props} />}
      <div class="talk-list">
        {!within && chats.list.length > 0 && (
          <VirtualList
            items={chats.list}
            rowHeight={ROW_HEIGHT}
            label={words.chats}
            getKey={({ id }) => id}
            onEnd={chats.loadMore}
            renderRow={(chat) => (
              <ChatRow client={client} chat={chat} href={toChatHash(chat.id)} current={current === chat.id} />
            )}
          />
        )}
        {!within && chats.isLoaded && chats.list.length === 0 && (
          <p class="empty quiet small">
            {search ? words.noneFound : props.isArchive ? words.noArchived : words.noChats}
          </p>
        )}
        {(search || within) && <Hits {...props} />}
      </div>
      <NewChat client={client} onOpen={props.onOpen} />
    </aside>
  )
}

/** What the search finds in texts of messages. */
function Hits({ client, chats, search, within, message, toChatHash, onSearch }: Props) {
  const { value: later, error } = useLoad(loadThreadParts, [])
  const findName = (chatid: string) => chats.list.find(({ id }) => id === chatid)?.wa_name ?? ''
  if (error !== undefined) return <ErrorNote error={error} />
  return later ? (
    <later.MessageHits
      {...{ client, search, within, findName }}
      current={message}
      toHitHash={({ chatid, messageid }) => toChatHash(chatid, { message: messageid })}
      onEverywhere={() => onSearch(search, { within: '' })}
    />
  ) : null
}

interface ChatRowProps {
  client: InstanceClient
  chat: ChatRecord
  href: string
  current: boolean
}

function ChatRow({ client, chat, href, current }: ChatRowProps) {
  const name = chat.wa_name || formatId(chat.id)
  return (
    <a class="chat" href={href} aria-current={current ? 'true' : undefined}>
      <Portrait client={client} jid={chat.id} name={name} />
      <span class="grow">
        <span class="line still even">
          <span class="strong cut">{name}</span>
          <span class="small quiet count">
            {toDate(chat.lastMessageTimestamp) ? formatMoment(chat.lastMessageTimestamp) : '–'}
          </span>
        </span>
        <span class="line still even">
          <span class="small quiet cut">
            {hasThumbnail(chat) && <LastThumbnail client={client} messageid={chat.lastMessageId} />}
            {describeLastMessage(chat)}
          </span>
          <span class="chat-marks">
            {chat.wa_isPinned && <Mark icon="pin" label={words.pinned} />}
            {isMuted(chat) && <Mark icon="muted" label={words.muted} />}
            {chat.wa_archived && <Mark icon="archive" label={words.archived} />}
            {chat.unreadCount > 0 && (
              <span class="unread count" title={words.unread(chat.unreadCount)}>
                {formatNumber(chat.unreadCount)}
              </span>
            )}
          </span>
        </span>
      </span>
    </a>
  )
}

const hasThumbnail = ({ lastMessage: { mediaType, status } }: ChatRecord): boolean =>
  status !== 'Deleted' && ['image', 'video'].includes(mediaType)

/** The way to the archived chats, and back. */
function ArchiveLine({ chats, isArchive, onArchive }: Props) {
  if (isArchive)
    return (
      <button type="button" class="archive-line" onClick={() => onArchive(false)}>
        <Icon name="back" size={16} /> <span class="grow">{words.leaveArchive}</span>
      </button>
    )
  if (chats.archived === 0) return null
  return (
    <button type="button" class="archive-line" onClick={() => onArchive(true)}>
      <Icon name="archive" size={16} /> <span class="grow">{words.archivedChats}</span>
      <span class="count quiet">{formatNumber(chats.archived)}</span>
    </button>
  )
}

const Mark = ({ icon, label }: { icon: IconName; label: string }) => (
  <span class="quiet" role="img" aria-label={label} title={label}>
    <Icon name={icon} size={14} />
  </span>
)

interface NewChatProps {
  client: InstanceClient
  onOpen: (chat: OpenChat) => void
}

function NewChat({ client, onOpen }: NewChatProps) {
  const [number, setNumber] = useState('')
  const startChat = async () => {
    const [found] = await client.checkNumbers({ numbers: [number] })
    if (!found?.isInMsgnet) throw new Error(found?.error || words.notOnNetwork)
    onOpen({
      id: found.jid,
      name: found.verifiedName || found.groupName,
      isGroup: found.jid.endsWith('@g.us'),
      unreadCount: 0,
    })
    setNumber((now) => (now === number ? '' : now))
  }
  return (
    <form class="talk-new" onSubmit={(event) => event.preventDefault()}>
      <input
        aria-label={words.newChat}
        placeholder={words.newChat}
        inputMode="tel"
        value={number}
        onInput={(event) => setNumber(event.currentTarget.value)}
      />
      <ActionButton type="submit" onAction={startChat} disabled={!number.trim()}>
        {words.open}
      </ActionButton>
    </form>
  )
}
