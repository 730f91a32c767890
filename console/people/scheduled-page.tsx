// The messages of an instance that wait for their time: listed, cancelled, and texts added.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { DAY, HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { useState } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { formatId } from '../format-id.ts'
import { formatDateTime, formatLocal, formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Field } from '../ui/elements.tsx'
import { Toolbar } from '../ui/filters.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'
import { useEvents } from '../use-events.ts'

const words = texts.account.scheduled
const PAGE_SIZE = 50
const MAX_DAYS = 30
/** Characters of a text in the list. */
const MAX_SHOWN = 120

export function ScheduledPage({ client, connection }: AccountProps) {
  const [limit, setLimit] = useState(PAGE_SIZE)
  const loaded = useLoad(() => loadFirst(client, limit), [client, limit])
  const [isAdding, setAdding] = useState(false)
  useEvents(client, (envelope) => {
    if (envelope.EventType === 'messages_update' && envelope.type === 'SendReceipt') void loaded.reload()
  })
  const cancel = ({ messageid }: MessageRecord) => client.cancelScheduled(messageid).then(loaded.reload)
  return (
    <ListPage
      filters={
        <Toolbar>
          <p class="quiet grow">{words.description}</p>
          {connection.loggedIn && (
            <Button class="main" onClick={() => setAdding(true)}>
              {words.schedule}
            </Button>
          )}
        </Toolbar>
      }
      loaded={loaded}
      getRows={({ scheduled }) => scheduled}
      label={texts.instance.tabs.scheduled}
      columns={createColumns(cancel)}
      getKey={({ messageid }) => messageid}
      empty={<EmptyState icon="clock" title={words.none} hint={words.noneHint} />}
      renderMore={({ scheduled, total }) =>
        scheduled.length < total && (
          <p class="line">
            <Button onClick={() => setLimit(limit + PAGE_SIZE)}>{words.more}</Button>
            <span class="quiet">{words.shown(formatNumber(scheduled.length), formatNumber(total))}</span>
          </p>
        )
      }
    >
      {isAdding && (
        <ScheduleDialog {...{ client, onChange: loaded.reload, onClose: () => setAdding(false) }} />
      )}
    </ListPage>
  )
}

/** So many of the soonest, page by page. */
async function loadFirst(client: InstanceClient, limit: number) {
  const first = await client.listScheduled({ limit: PAGE_SIZE })
  const { scheduled } = first
  let { hasMore } = first
  while (hasMore && scheduled.length < limit) {
    const afterId = scheduled.at(-1)?.messageid ?? ''
    const next = await client.listScheduled({ limit: PAGE_SIZE, afterId })
    scheduled.push(...next.scheduled)
    hasMore = next.hasMore && next.scheduled.length > 0
  }
  return { scheduled, total: first.total }
}

const createColumns = (cancel: (message: MessageRecord) => Promise<unknown>): Column<MessageRecord>[] => [
  {
    key: 'time',
    title: words.time,
    narrow: 'title',
    render: ({ scheduledFor = '' }) => <time dateTime={scheduledFor}>{formatDateTime(scheduledFor)}</time>,
  },
  { key: 'chat', title: words.chat, render: (message) => nameChat(message) },
  {
    key: 'message',
    title: words.message,
    render: ({ text, mediaType, type }) => (
      <span title={text}>
        {text
          ? truncateText(text)
          : texts.conversation.kinds[mediaType] || texts.conversation.otherKinds[type]}
      </span>
    ),
  },
  {
    key: 'actions',
    title: words.actions,
    align: 'end',
    narrow: 'end',
    render: (message) => (
      <ActionButton
        class="small-button"
        label={words.cancelNamed(nameChat(message))}
        onAction={() => cancel(message)}
      >
        {texts.cancel}
      </ActionButton>
    ),
  },
]

const truncateText = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text

const nameChat = ({ groupName, chatid }: MessageRecord): string => groupName || formatId(chatid)

interface ScheduleProps {
  client: InstanceClient
  onChange: () => Promise<void>
  onClose: () => void
}

function ScheduleDialog({ client, onChange, onClose }: ScheduleProps) {
  const [number, setNumber] = useState('')
  const [text, setText] = useState('')
  const [at, setAt] = useState(() => formatLocal(new Date(Math.ceil(Date.now() / HOUR) * HOUR)))
  const ahead = Date.parse(at) - Date.now()
  const isValid = number.trim() && text.trim() && ahead > -MINUTE && ahead < MAX_DAYS * DAY
  const schedule = async () => {
    const sendAt = new Date(Math.max(Date.parse(at), Date.now())).toISOString()
    await client.sendText({ number, text, sendAt })
    onClose()
    await onChange()
  }
  return (
    <ConfirmDialog
      title={words.schedule}
      onClose={onClose}
      onConfirm={schedule}
      confirm={words.confirm}
      disabled={!isValid}
    >
      <Field
        label={texts.people.contacts.number}
        hint={texts.people.contacts.numberHint}
        value={number}
        onInput={setNumber}
        inputMode="tel"
        autofocus
      />
      <div class="field">
        <label for="scheduled-text">{words.message}</label>
        <textarea
          id="scheduled-text"
          rows={4}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Field label={words.time} hint={words.timeHint} value={at} onInput={setAt} type="datetime-local" />
    </ConfirmDialog>
  )
}
