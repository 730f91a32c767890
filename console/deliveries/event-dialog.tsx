// One event with its attempts, the receiver's response, and its payload on demand.

import { useState } from 'preact/hooks'
import type { EventRecord } from '../../shared/contract/responses/event-responses.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Badge, CopyButton, Fact, TimeAgo } from '../ui/elements.tsx'

const words = texts.deliveries

interface Props {
  event: EventRecord
  onClose: () => void
  onReplay: () => void
}

export const EventDialog = ({ event, onClose, onReplay }: Props) => (
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
    <EventFacts event={event} />
    <Payload event={event} />
  </Dialog>
)

const EventFacts = ({ event }: { event: EventRecord }) => (
  <dl class="facts">
    <Fact name={words.outcome}>
      <Badge kind={{ pending: 'warn', delivered: 'good', dead: 'bad' }[event.status]}>
        {words.states[event.status]}
      </Badge>
    </Fact>
    <Fact name={words.attemptsLabel}>{event.attempts}</Fact>
    <Fact name={words.happened}>
      <TimeAgo time={event.createdAt} />
    </Fact>
    {event.lastAttemptAt && (
      <Fact name={words.lastAttempt}>
        <TimeAgo time={event.lastAttemptAt} />{' '}
        {event.lastError || (event.lastStatus ? words.answered(event.lastStatus) : '')}
      </Fact>
    )}
    {event.status === 'pending' && event.nextAttemptAt && (
      <Fact name={words.nextAttempt}>
        <TimeAgo time={event.nextAttemptAt} />
      </Fact>
    )}
    <Fact name="webhook-id">
      <code>{event.id}</code>
    </Fact>
  </dl>
)

function Payload({ event }: { event: EventRecord }) {
  const [shown, setShown] = useState(false)
  if (!shown)
    return (
      <div>
        <Button onClick={() => setShown(true)}>{words.showPayload}</Button>
      </div>
    )
  const payload = JSON.stringify(event.payload, null, 2)
  return (
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
  )
}
