// The columns of the list of instances.

import type { ListedInstance } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { formatPhone } from '../format-id.ts'
import { formatMoment, formatNumber } from '../formats.ts'
import { webhookKinds } from '../overview/webhook-kinds.ts'
import { texts } from '../texts.ts'
import type { Column } from '../ui/data-table.tsx'
import { Initials, TimeAgo } from '../ui/elements.tsx'
import { UnreadCount } from '../unread/unread-context.tsx'
import { StateBadge } from './state-badge.tsx'

const words = texts.instances

const InstanceName = ({ id, name, companyId, kind }: ListedInstance) => (
  <span class="line still">
    <Initials name={name} />
    <span class="two">
      <span class="cut">{name}</span>
      <span class="small quiet cut">
        {[companyId, kind === 'calls' && words.kinds.calls].filter(Boolean).join(' · ')}
      </span>
    </span>
    <UnreadCount instance={id} />
  </span>
)

const InstanceState = ({ status, reason, lastDisconnect }: ListedInstance) => (
  <span class="two">
    <span>
      <StateBadge status={status} />
    </span>
    {reason && (
      <span class="small quiet cut">
        {texts.overview.reasons[reason]}
        {lastDisconnect && reason !== 'never_linked' && ` · ${words.since(formatMoment(lastDisconnect))}`}
      </span>
    )}
  </span>
)

/** A status of the receiver says more than the name of the cause. */
const describeCause = ({ cause, status }: ListedInstance['webhook']): string =>
  status ? String(status) : cause.replaceAll('_', ' ')

const WebhookHealth = ({ webhook }: ListedInstance) => (
  <span class="two">
    <span class="line still webhook-state">
      <i class={`dot ${webhookKinds[webhook.state]}`} />
      {texts.overview.webhookStates[webhook.state]}
    </span>
    {(webhook.cause || (webhook.since && webhook.state !== 'off')) && (
      <span class="small quiet cut">
        {[describeCause(webhook), webhook.since && words.since(formatMoment(webhook.since))]
          .filter(Boolean)
          .join(' · ')}
      </span>
    )}
  </span>
)

const WaitingEvents = ({ pending, dead }: ListedInstance) => (
  <span class="two">
    <span class={pending ? '' : 'quiet'}>{formatNumber(pending)}</span>
    {dead > 0 && <span class="small dead-count">{words.deadCount(formatNumber(dead))}</span>}
  </span>
)

export const instanceColumns: Column<ListedInstance>[] = [
  { key: 'name', title: words.name, sorts: ['name', '-name'], narrow: 'title', render: InstanceName },
  {
    key: 'number',
    title: words.number,
    render: ({ number, owner }) =>
      number ? (
        <span class={owner ? '' : 'quiet'}>{formatPhone(number)}</span>
      ) : (
        <span class="quiet">{words.unlinked}</span>
      ),
  },
  { key: 'state', title: words.state, sorts: ['state'], narrow: 'end', render: InstanceState },
  { key: 'webhook', title: words.webhook, render: WebhookHealth },
  { key: 'waiting', title: words.waiting, align: 'end', sorts: ['-pending'], render: WaitingEvents },
  {
    key: 'lastEvent',
    title: words.lastEvent,
    sorts: ['-lastEvent', 'lastEvent'],
    render: ({ lastEventAt }) => <TimeAgo time={lastEventAt} />,
  },
  {
    key: 'host',
    title: words.host,
    narrow: 'hide',
    render: ({ host }) => <span class="quiet">{host ? host.region || host.id.slice(0, 8) : '–'}</span>,
  },
]
