// The tab of an instance with the list of its chats and the open one; the event stream updates both.

import { useEffect, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { ChatRecord } from '../../shared/contract/responses/chat-responses.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { type AnyEnvelope, useEvents } from '../use-events.ts'
import { ChatThread } from './chat-thread.tsx'
import { formatId } from './format-id.ts'
import type { OpenChat } from './open-chat.ts'
import { Portrait } from './portrait.tsx'

const words = texts.conversation

export function ConversationTab({ client }: { client: InstanceClient }) {
  const { value, error, reload, set } = useLoad(() => client.findChats({ limit: 100 }), [client])
  const [open, setOpen] = useState<OpenChat>()
  const [latest, setLatest] = useState<AnyEnvelope[]>([])
  const stream = useEvents(client, (envelope) => {
    setLatest((before) => [...before.slice(-200), envelope])
    if (envelope.EventType === 'messages' || envelope.EventType === 'groups') void reload()
  })
  // There is no event for messages from before the stream was open.
  const live = stream === 'live'
  useEffect(() => {
    if (live) void reload()
  }, [live])
  const openChat = (chat: ChatRecord) => {
    setOpen(chat)
    if (!chat.unreadCount || !value) return
    const chats = value.chats.map((one) => (one.id === chat.id ? { ...one, unreadCount: 0 } : one))
    // The receipt is sent meanwhile. A chat that could not be marked is shown as unread again.
    client.readChat({ number: chat.id }).then(() => set({ ...value, chats }), reload)
  }
  return (
    <div class={`talk${open ? ' open' : ''}`}>
      <aside class="talk-side" aria-label={words.chats}>
        <div class="talk-head line still even">
          <h2>{words.chats}</h2>
          <Badge kind={stream === 'live' ? 'good' : 'warn moving'}>{words.stream[stream]}</Badge>
        </div>
        <NewChat client={client} onOpen={setOpen} />
        {error !== undefined && <ErrorNote error={error} />}
        <ul class="talk-list">
          {value?.chats.map((chat) => (
            <li key={chat.id}>
              <ChatButton
                client={client}
                chat={chat}
                current={open?.id === chat.id}
                onClick={() => openChat(chat)}
              />
            </li>
          ))}
          {value?.chats.length === 0 && <li class="empty quiet small">{words.noChats}</li>}
        </ul>
      </aside>
      {open ? (
        <ChatThread
          key={open.id}
          client={client}
          chat={open}
          latest={latest}
          live={live}
          onClose={() => setOpen(undefined)}
        />
      ) : (
        <div class="empty talk-none">
          <p class="quiet">{words.choose}</p>
        </div>
      )}
    </div>
  )
}

interface ChatButtonProps {
  client: InstanceClient
  chat: ChatRecord
  current: boolean
  onClick: () => void
}

const ChatButton = ({ client, chat, current, onClick }: ChatButtonProps) => (
  <button type="button" class="chat" aria-current={current ? 'true' : undefined} onClick={onClick}>
    <Portrait client={client} jid={chat.id} name={chat.name || formatId(chat.id)} />
    <span class="grow">
      <span class="line still even">
        <span class="strong cut">{chat.name || formatId(chat.id)}</span>
        <span class="small quiet wide-only">
          <TimeAgo time={chat.lastMessageTimestamp} />
        </span>
      </span>
      <span class="line still even">
        <span class="small quiet cut">{chat.isGroup ? words.group : formatId(chat.id)}</span>
        {chat.unreadCount > 0 && (
          <span class="unread" title={words.unread(chat.unreadCount)}>
            {chat.unreadCount}
          </span>
        )}
      </span>
    </span>
  </button>
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
