// The filters above the deliveries: outcome, webhook, type, time and message. Each stands in the address.

import { deliveredEvents } from '@msgnet/shared/contract/event-names.ts'
import type { ComponentChildren } from 'preact'
import type { useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Choice, FilterChips, SearchField, TimeField, Toolbar } from '../ui/filters.tsx'
import { type LogFilter, outcomes, ranges } from './event-filter.ts'
import { outcomeKinds } from './event-outcome.tsx'
import { type InstanceWebhook, nameWebhook } from './instance-webhooks.ts'

const words = texts.deliveries

interface Props {
  filter: LogFilter
  /** Of which one can be chosen. */
  webhooks: readonly InstanceWebhook[]
  setQuery: ReturnType<typeof useRouteQuery>['setQuery']
  /** Actions at the end. */
  children: ComponentChildren
}

export const DeliveryFilters = ({ filter, webhooks, setQuery, children }: Props) => (
  <div class="stack tight">
    <Toolbar>
      <FilterChips
        label={words.filter}
        multiple={false}
        options={outcomes.filter(canBeChosen(filter)).map((value) => ({
          value,
          label: words.outcomes[value],
          kind: outcomeKinds[value],
        }))}
        value={filter.outcome ? [filter.outcome] : []}
        onChange={([status = '']) => setQuery({ status })}
      />
      <div class="toolbar-end">{children}</div>
    </Toolbar>
    <Toolbar>
      {webhooks.length > 1 && (
        <Choice
          label={words.webhook}
          value={filter.webhook}
          options={[['', words.anyWebhook], ...listNames(webhooks)]}
          onChange={(webhook) => setQuery({ webhook })}
        />
      )}
      <Choice
        label={words.type}
        value={filter.type}
        options={[['', words.anyType], ...deliveredEvents.map((type) => [type, type] as const)]}
        onChange={(type) => setQuery({ type })}
      />
      <Choice
        label={words.time}
        value={filter.range}
        options={ranges.map((range) => [range, words.ranges[range]] as const)}
        onChange={(range) => setQuery({ range: range === 'any' ? '' : range, from: '', to: '' })}
      />
      {filter.range === 'custom' && (
        <>
          <TimeField label={words.from} value={filter.from} onChange={(from) => setQuery({ from })} />
          <TimeField label={words.to} value={filter.to} onChange={(to) => setQuery({ to })} />
        </>
      )}
      <SearchField
        label={words.messageId}
        placeholder={words.messageId}
        value={filter.messageid}
        onInput={(text) => setQuery({ messageid: text.trim() }, { replace: true })}
      />
    </Toolbar>
  </div>
)

/** At one webhook there is no event without a receiver. */
const canBeChosen =
  ({ webhook }: LogFilter) =>
  (outcome: (typeof outcomes)[number]): boolean =>
    webhook === '' || outcome !== 'unaddressed'

/** For a choice: the id and the name of each. */
export const listNames = (webhooks: readonly InstanceWebhook[]) =>
  webhooks.map((webhook) => [webhook.record?.id ?? '', nameWebhook(webhook, webhooks)] as const)
