// Messages of a chat that are sent later: the ones that wait, below the log, and the dialog that chooses a time. Loaded when a chat is open.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { DAY, HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { useEffect, useState } from 'preact/hooks'
import { formatLocal, formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { Outgoing } from './outgoing.ts'

/** Needed as late, and loaded with them. */
const words = texts.conversation.later
/** Pages of all chats that are searched for those of this one, the soonest first. */
const MAX_PAGES = 5
const MORNING_HOUR = 9

interface Props {
  client: InstanceClient
  chatid: string
  outgoing: Outgoing
  /** The list is loaded again when it changes. */
  turn: string
}

export function ScheduledMessages({ client, chatid, outgoing, turn }: Props) {
  const { value, error, reload } = useLoad(() => loadScheduled(client, chatid), [client, chatid, turn])
  // So that the list is not empty for the moment in which it is loaded again.
  const [known, setKnown] = useState<readonly MessageRecord[]>([])
  useEffect(() => {
    if (!value) return
    setKnown(value)
    for (const { track_id } of value) outgoing.discardMessage(track_id)
  }, [value])
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      {known.map((message) => (
        <ScheduledBubble
          key={message.messageid}
          message={message}
          onCancel={async () => {
            await client.cancelScheduled(message.messageid)
            await reload()
          }}
        />
      ))}
    </>
  )
}

async function loadScheduled(client: InstanceClient, chatid: string): Promise<MessageRecord[]> {
  const found: MessageRecord[] = []
  let afterId: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { scheduled, hasMore } = await client.listScheduled({
      limit: limits.maxListedScheduled,
      ...(afterId && { afterId }),
    })
    found.push(...scheduled.filter((message) => [message.chatid, message.chatlid].includes(chatid)))
    afterId = scheduled.at(-1)?.messageid
    if (!hasMore || !afterId) break
  }
  return found
}

interface BubbleProps {
  message: MessageRecord
  onCancel: () => Promise<void>
}

const ScheduledBubble = ({ message, onCancel }: BubbleProps) => {
  const { text, mediaType, type, scheduledFor = '' } = message
  const kind = texts.conversation.kinds[mediaType] || texts.conversation.otherKinds[type]
  return (
    <article class="bubble mine">
      <div class="bubble-card scheduled">
        {kind && <p class="small strong">{kind}</p>}
        {text && <p class="bubble-text">{text}</p>}
        <div class="line even">
          <span class="line still small">
            <Icon name="clock" size={14} />
            <time dateTime={scheduledFor}>{words.scheduledFor(formatMoment(scheduledFor))}</time>
          </span>
          <ActionButton
            class="bare small-button"
            label={words.cancelNamed(text || kind || '')}
            onAction={onCancel}
          >
            {texts.cancel}
          </ActionButton>
        </div>
      </div>
    </article>
  )
}

interface DialogProps {
  /** What is sent, for a last look. */
  label: string
  onSchedule: (sendAt: string) => void
  onClose: () => void
}

export function SendLaterDialog({ label, onSchedule, onClose }: DialogProps) {
  const [at, setAt] = useState(() => formatLocal(new Date(Math.ceil(Date.now() / HOUR) * HOUR)))
  const time = Date.parse(at)
  const ahead = time - Date.now()
  const isValid = ahead > -MINUTE && ahead < limits.maxScheduleDays * DAY
  const schedule = () => {
    onSchedule(new Date(Math.max(time, Date.now())).toISOString())
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.title}
      onClose={onClose}
      onConfirm={schedule}
      confirm={words.confirm}
      disabled={!isValid}
    >
      <blockquote>{label}</blockquote>
      <div class="line">
        {suggestTimes(new Date()).map(({ name, date }) => (
          <Button key={name} class="small-button" onClick={() => setAt(formatLocal(date))}>
            {words.suggestions[name]}
          </Button>
        ))}
      </div>
      <Field label={words.time} hint={words.timeHint} value={at} onInput={setAt} type="datetime-local" />
    </ConfirmDialog>
  )
}

function suggestTimes(now: Date) {
  const toMorning = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR)
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  return [
    { name: 'hour', date: new Date(now.getTime() + HOUR) },
    { name: 'tomorrow', date: toMorning(1) },
    { name: 'monday', date: toMorning(daysToMonday) },
  ] as const
}
