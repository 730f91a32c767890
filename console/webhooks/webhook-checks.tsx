// A test of one webhook, and what failed there last: for whoever may see it, on the console or on the page behind a link.

import type { DeliveryFailure } from '@msgnet/shared/contract/responses/event-responses.ts'
import type { WebhookTested } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { describeCause } from '../deliveries/delivery-health.ts'
import { outcomeKinds } from '../deliveries/event-outcome.tsx'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Badge } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { LogList, LogRow } from '../ui/log-list.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.webhook
const RELOAD_MS = 10_000
/** Failures before the user asks for all of them. */
const SHOWN = 6

export function WebhookTest({ onTest }: { onTest: () => Promise<WebhookTested> }) {
  const [result, setResult] = useState<WebhookTested>()
  return (
    <section class="card stack">
      <h2>{words.test}</h2>
      <p class="small quiet">{words.testHint}</p>
      <div class="stack tight">
        <ActionButton onAction={async () => setResult(await onTest())}>{words.testConfirm}</ActionButton>
      </div>
      {result && (
        <div class={`note ${result.delivered ? 'good' : 'bad'}`} role="status">
          <Badge kind={result.delivered ? 'good' : 'bad'}>
            {result.delivered ? words.delivered : words.notDelivered}
          </Badge>{' '}
          {result.status ? words.answered(result.status, result.ms) : words.noResponse} {result.error}
        </div>
      )}
    </section>
  )
}

interface FailuresProps {
  /** Called again and again. */
  onLoad: () => Promise<{ errors: DeliveryFailure[] }>
  /** The page of the event. */
  toHref?: (failure: DeliveryFailure) => string
  renderEnd?: (failure: DeliveryFailure) => ComponentChildren
}

/** Nothing is shown until something has failed. */
export function WebhookFailures({ onLoad, toHref, renderEnd }: FailuresProps) {
  const { value, error } = useLoad(onLoad, [], RELOAD_MS)
  const [isOpen, setOpen] = useState(false)
  const failures = value?.errors ?? []
  if (error !== undefined) return <ErrorNote error={error} />
  if (failures.length === 0) return null
  return (
    <section class="card stack failures">
      <h2>{words.failures}</h2>
      <LogList label={words.failures}>
        {failures.slice(0, isOpen ? failures.length : SHOWN).map((failure) => (
          <FailureRow key={failure.eventId} {...{ failure, toHref, renderEnd }} />
        ))}
      </LogList>
      {!isOpen && failures.length > SHOWN && (
        <div>
          <Button class="bare" onClick={() => setOpen(true)}>
            {words.allFailures(failures.length)}
          </Button>
        </div>
      )}
    </section>
  )
}

interface RowProps {
  failure: DeliveryFailure
  toHref: FailuresProps['toHref'] | undefined
  renderEnd: FailuresProps['renderEnd'] | undefined
}

function FailureRow({ failure, toHref, renderEnd }: RowProps) {
  const { seq, type, status, lastError, lastAttemptAt } = failure
  return (
    <LogRow
      time={lastAttemptAt}
      kind={outcomeKinds[status]}
      title={`${type} ${seq}`}
      detail={`${texts.deliveries.outcomes[status]}: ${describeCause(lastError)}`}
      end={renderEnd?.(failure)}
      {...(toHref && { href: toHref(failure) })}
    />
  )
}
