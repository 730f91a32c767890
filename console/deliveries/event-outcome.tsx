// The outcome of an event, as a word and as a colour. What no webhook was to receive is not delivered.

import type { EventRecord } from '../../shared/contract/responses/event-responses.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/elements.tsx'
import type { Outcome } from './event-filter.ts'

export const outcomeKinds = { pending: 'warn', delivered: 'good', dead: 'bad', unaddressed: '' } as const

export const findOutcome = ({ status, unaddressed }: Pick<EventRecord, 'status' | 'unaddressed'>): Outcome =>
  unaddressed ? 'unaddressed' : status

export function OutcomeBadge({ event }: { event: EventRecord }) {
  const outcome = findOutcome(event)
  return <Badge kind={outcomeKinds[outcome]}>{texts.deliveries.outcomes[outcome]}</Badge>
}
