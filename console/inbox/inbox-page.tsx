// The chats of all instances that wait to be read, in one list; each row leads into its conversation.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../console-session.ts'
import { Portrait } from '../conversation/portrait.tsx'
import { hasWords } from '../fold-text.ts'
import { formatId } from '../format-id.ts'
import { formatMoment, formatNumber } from '../formats.ts'
import { toHash, useRouteQuery } from '../hash-route.ts'
import { describeLastMessage } from '../last-message.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button, useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Choice, SearchField, Toolbar } from '../ui/filters.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadedContent } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import {
  canNotify,
  readNotifyOption,
  turnNotificationsOff,
  turnNotificationsOn,
} from '../unread/notifications.ts'
import { type InstanceUnread, listWaiting, type Unread } from '../unread/read-unread.ts'
import { formatUnread, useUnread } from '../unread/unread-context.tsx'

const words = texts.inbox
const ROW_HEIGHT = 62

export function InboxPage({ session }: { session: Session }) {
  const { value, error, start } = useUnread()
  useEffect(start, [])
  return (
    <main class="page">
      <PageHeader
        title={texts.nav.inbox}
        count={value && formatUnread([...value.instances.values()])}
        description={words.about}
        actions={canNotify() && <NotifyButton />}
      />
      <LoadedContent loaded={{ value, error }} skeletonRows={8}>
        {(unread) => unread && <Waiting {...{ session, unread }} />}
      </LoadedContent>
    </main>
  )
}

interface WaitingProps {
  session: Session
  unread: Unread
}

function Waiting({ session, unread }: WaitingProps) {
  const { search = '', instance = '' } = useRouteQuery().query
  const present = [...unread.instances.values()]
  const waiting = present.filter(({ total }) => total > 0)
  const rows = listWaiting(unread).filter(
    (row) => (!instance || row.instance.id === instance) && matchesSearch(row, search),
  )
  const isFiltered = search !== '' || instance !== ''
  const failed = present.find(({ error }) => error !== undefined)
  return (
    <>
      {(waiting.length > 0 || isFiltered) && <WaitingFilters {...{ waiting, search, instance }} />}
      {failed && (
        <>
          <p class="small quiet">{words.failed(failed.name)}</p>
          <ErrorNote error={failed.error} />
        </>
      )}
      <div class="list">
        {rows.length > 0 ? (
          <VirtualList
            items={rows}
            rowHeight={ROW_HEIGHT}
            label={texts.nav.inbox}
            getKey={(row) => `${row.instance.id} ${row.chat.id}`}
            renderRow={({ instance: { id, name }, chat }) => {
              const client = session.getClient(id)
              return client && <WaitingRow {...{ client, id, chat }} instanceName={name} />
            }}
          />
        ) : (
          <EmptyState
            icon={isFiltered ? 'search' : 'check'}
            title={isFiltered ? words.noMatch : words.none}
            hint={isFiltered ? undefined : words.noneHint}
          />
        )}
      </div>
      <MoreChats waiting={waiting} />
      {unread.connected > present.length && (
        <p class="small quiet">
          {words.newest(formatNumber(present.length), formatNumber(unread.connected))}
        </p>
      )}
    </>
  )
}

interface FiltersProps {
  waiting: readonly InstanceUnread[]
  search: string
  instance: string
}

function WaitingFilters({ waiting, search, instance }: FiltersProps) {
  const { setQuery } = useRouteQuery()
  return (
    <Toolbar>
      <SearchField
        value={search}
        onInput={(typed) => setQuery({ search: typed }, { replace: true })}
        placeholder={words.searchHint}
      />
      {(waiting.length > 1 || instance) && (
        <Choice
          label={texts.nav.instance}
          value={instance}
          options={[
            ['', words.all],
            ...waiting.map((each) => [each.id, `${each.name} (${formatUnread([each])})`] as const),
          ]}
          onChange={(chosen) => setQuery({ instance: chosen })}
        />
      )}
    </Toolbar>
  )
}

/** Instances of which only the newest waiting chats are in the list. */
const MoreChats = ({ waiting }: { waiting: readonly InstanceUnread[] }) => (
  <p class="chips">
    {waiting
      .filter(({ total, chats }) => total > chats.length)
      .map(({ id, name, total, chats }) => (
        <a key={id} class="chip" href={toHash('instances', id, 'chats')}>
          {words.more(name, formatNumber(total - chats.length))}
        </a>
      ))}
  </p>
)

const nameChat = (chat: ChatRecord): string => chat.wa_name || formatId(chat.id)

function matchesSearch({ chat, instance }: ReturnType<typeof listWaiting>[number], search: string): boolean {
  return hasWords(`${nameChat(chat)} ${instance.name} ${describeLastMessage(chat)}`, search)
}

interface RowProps {
  client: InstanceClient
  id: string
  instanceName: string
  chat: ChatRecord
}

function WaitingRow({ client, id, instanceName, chat }: RowProps) {
  const { refresh } = useUnread()
  const name = nameChat(chat)
  const markRead = async () => {
    await client.readChat({ number: chat.id })
    await refresh(id)
  }
  return (
    <div class="line still waiting-row">
      <a class="chat" href={toHash('instances', id, 'chats', chat.id)}>
        <Portrait client={client} jid={chat.id} name={name} />
        <span class="grow">
          <span class="line still even">
            <span class="strong cut">{name}</span>
            <span class="small quiet cut">{instanceName}</span>
            <span class="small quiet count">{formatMoment(chat.lastMessageTimestamp)}</span>
          </span>
          <span class="line still even">
            <span class="small quiet cut">{describeLastMessage(chat)}</span>
            <span class="unread count" title={texts.conversation.unread(chat.unreadCount)}>
              {formatNumber(chat.unreadCount)}
            </span>
          </span>
        </span>
      </a>
      <ActionButton class="bare" label={words.markRead(name)} onAction={markRead}>
        <Icon name="check" />
      </ActionButton>
    </div>
  )
}

/** The browser asks for the permission only here. */
function NotifyButton() {
  const [isOn, setOn] = useState(readNotifyOption)
  const action = useAction()
  const toggle = async () => {
    if (isOn) turnNotificationsOff()
    else await turnNotificationsOn()
    setOn(!isOn)
  }
  return (
    <>
      <Button busy={action.busy} onClick={() => action.run(toggle)}>
        <Icon name={isOn ? 'muted' : 'bell'} size={16} />
        {isOn ? words.notifyOff : words.notify}
      </Button>
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
    </>
  )
}
