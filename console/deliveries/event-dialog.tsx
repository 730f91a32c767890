// One event with its attempts, the receiver's answer, and its payload on demand.

import { useState } from 'preact/hooks'
import type { EventRecord } from '../../shared/contract/responses/event-responses.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Badge, CopyButton, TimeAgo } from '../ui/elements.tsx'

const words = texts.deliveries

interface Props {
  event: EventRecord
  onClose: () => void
  onReplay: () => void
}

export function EventDialog({ event, onClose, onReplay }: Props) {
  const [shown, setShown] = useState(false)
  const payload = JSON.stringify(event.payload, null, 2)
  return (
    <Dialog
      wide
      title={`${event.type} · ${event.seq}`}
      onClose={onClose}
      renderActions={() => (
        <>
          {event.status !== 'pending' && <Button onClick={onReplay}>{words.replayOne}</Button>}
          <Button class="main" onClick={onClose}>
            {texts.close}
          </Button>
        </>
      )}
    >
      <dl class="facts">
        <dt>{words.outcome}</dt>
        <dd>
          <Badge kind={{ pending: 'warn', delivered: 'good', dead: 'bad' }[event.status]}>
            {words.states[event.status]}
          </Badge>
        </dd>
        <dt>{words.attemptsLabel}</dt>
        <dd>{event.attempts}</dd>
        <dt>{words.happened}</dt>
        <dd>
          <TimeAgo time={event.createdAt} />
        </dd>
        {event.lastAttemptAt && (
          <>
            <dt>{words.lastAttempt}</dt>
            <dd>
              <TimeAgo time={event.lastAttemptAt} />{' '}
              {event.lastError || (event.lastStatus ? words.answered(event.lastStatus) : '')}
            </dd>
          </>
        )}
        {event.status === 'pending' && event.nextAttemptAt && (
          <>
            <dt>{words.nextAttempt}</dt>
            <dd>
              <TimeAgo time={event.nextAttemptAt} />
            </dd>
          </>
        )}
        <dt>webhook-id</dt>
        <dd>
          <code>{event.id}</code>
        </dd>
      </dl>
      {shown ? (
        <>
          <div class="line even">
            <h3>{words.payload}</h3>
            <CopyButton text={payload} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
          <pre tabIndex={0} class="payload">
            {payload}
          </pre>
        </>
      ) : (
        <div>
          <Button onClick={() => setShown(true)}>{words.showPayload}</Button>
        </div>
      )}
    </Dialog>
  )
}
