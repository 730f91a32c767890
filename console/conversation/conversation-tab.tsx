// The tab of an instance with the list of its chats and the open one, which stands in the address; the event stream updates both.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Coverage } from '@msgnet/shared/contract/coverage.ts'
import type { HistoryProgress } from '@msgnet/shared/contract/history.ts'
import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { toQueryHash, useRoute, useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { EmptyState } from '../ui/notices.tsx'
import { useUnreadTitle } from '../ui/page-title.ts'
import { useLoad } from '../ui/use-load.ts'
import { useUnread } from '../unread/unread-context.tsx'
import { type AnyEnvelope, useEvents } from '../use-events.ts'
import { ChatList } from './chat-list.tsx'
import { ChatThread } from './chat-thread.tsx'
import { allowPictures } from './load-pictures.ts'
import { readMarkOption, storeMarkOption } from './mark-option.ts'
import type { OpenChat } from './open-chat.ts'
import { useOutgoing } from './outgoing.ts'
import { type Chats, useChats } from './use-chats.ts'
import { usePresence } from './use-presence.ts'

const words = texts.conversation

export interface ConversationProps {
  client: InstanceClient
  /** Read again while the page is open. */
  coverage: Coverage
  history: HistoryProgress
  loggedIn: boolean
}

export function ConversationTab({ client, coverage: { gaps }, history, loggedIn }: ConversationProps) {
  // Before the portraits ask.
  useMemo(() => allowPictures(client, loggedIn), [client, loggedIn])
  const [, instance = '', , chatid = ''] = useRoute()
  const { query, setQuery } = useRouteQuery()
  const { search = '', archive = '', within = '', message = '' } = query
  const chats = useChats(client, { search, isArchive: archive !== '' })
  const [latest, setLatest] = useState<AnyEnvelope[]>([])
  const stream = useEvents(client, (envelope) => {
    presence.handleEvent(envelope)
    // It is no part of what is stored, and has no place among the events.
    if (envelope.EventType === 'presence') return
    setLatest((before) => [...before.slice(-200), envelope])
    if (envelope.EventType === 'messages' || envelope.EventType === 'groups') void chats.reload()
  })
  // There is no event for messages from before the stream was open.
  const live = stream === 'live'
  const presence = usePresence(client, instance, live)
  useEffect(() => {
    if (live) void chats.reload()
  }, [live])
  useUnreadTitle(countUnread(chats), 'ofPage')
  const { chat, openNewChat } = useOpenChat(client, chatid, chats)
  const outgoing = useOutgoing(client, instance)
  const marking = useMarking(client, instance, chat, chats)
  const toChatHash = (id: string, change?: Record<string, string>) =>
    toQueryHash(['instances', instance, 'chats', id].filter(Boolean), { search, archive, within, ...change })
  return (
    <div class={`talk${chat ? ' open' : ''}`}>
      <ChatList
        {...{ client, chats, history, search, within, message, stream, toChatHash }}
        current={chatid}
        marksOnOpening={marking.isOn}
        onMarkingChange={marking.setOn}
        isArchive={archive !== ''}
        onArchive={(isOpen) => setQuery({ archive: isOpen ? 'yes' : '' })}
        onSearch={(value, change) => setQuery({ search: value, ...change }, { replace: true })}
        onOpen={(opened) => {
          openNewChat(opened)
          goTo(toChatHash(opened.id))
        }}
      />
      {chat ? (
        <ChatThread
          key={chat.id}
          {...{ client, chat, latest, live, gaps, outgoing, presence }}
          target={message}
          toMessageHash={({ messageid }) => toChatHash(chat.id, { message: messageid })}
          onSearch={() => goTo(toChatHash(isNarrow() ? '' : chat.id, { within: chat.id }))}
          onMarkRead={chat.unreadCount > 0 ? marking.markRead : undefined}
          onClose={() => goTo(toChatHash(''))}
        />
      ) : (
        <div class="talk-none">
          <EmptyState icon="chat" title={words.choose} />
        </div>
      )}
    </div>
  )
}

function goTo(hash: string) {
  location.hash = hash
}

/** There the list and the open chat are not seen together. */
const isNarrow = () => matchMedia('(max-width: 760px)').matches

const countUnread = ({ list }: Chats): number => list.reduce((sum, { unreadCount }) => sum + unreadCount, 0)

/** The chat of the address: from the list, else asked for by its id, else one that has no messages yet. */
function useOpenChat(client: InstanceClient, chatid: string, { list }: Chats) {
  const [started, setStarted] = useState<OpenChat>()
  const listed = list.find(({ id }) => id === chatid)
  const isAskedFor = chatid !== '' && !listed
  const { value } = useLoad(
    async () => (isAskedFor ? (await client.findChats({ wa_chatid: chatid, limit: 1 })).chats[0] : undefined),
    [client, chatid, isAskedFor],
  )
  const found = listed ?? (value?.id === chatid ? value : undefined)
  const unknown: OpenChat = { id: chatid, name: '', isGroup: chatid.endsWith('@g.us'), unreadCount: 0 }
  const chat = found ? toOpenChat(found) : started?.id === chatid ? started : unknown
  return { chat: chatid ? chat : undefined, openNewChat: setStarted }
}

const toOpenChat = ({ id, wa_name, isGroup, unreadCount }: ChatRecord): OpenChat => ({
  id,
  name: wa_name,
  isGroup,
  unreadCount,
})

/** Opening a chat sends no receipt, unless the user has switched that on. */
function useMarking(client: InstanceClient, instance: string, chat: OpenChat | undefined, chats: Chats) {
  const { refresh } = useUnread()
  const [isOn, setOn] = useState(readMarkOption)
  const markRead = async () => {
    if (!chat) return
    await client.readChat({ number: chat.id })
    void refresh(instance)
    await chats.reload()
  }
  const hasUnread = (chat?.unreadCount ?? 0) > 0
  useEffect(() => {
    // A chat that could not be marked is still shown as unread, with its button.
    if (isOn && hasUnread) markRead().catch(chats.reload)
  }, [isOn, hasUnread, chat?.id])
  const setStoredOn = (on: boolean) => {
    storeMarkOption(on)
    setOn(on)
  }
  return { isOn, setOn: setStoredOn, markRead }
}
