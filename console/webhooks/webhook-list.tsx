// The webhooks of an instance, each with its state in words. One of them is open below the list.

import type { WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { describeDelivery } from '../deliveries/delivery-health.ts'
import { badgeKinds } from '../deliveries/health-badge.tsx'
import { type InstanceWebhook, MAX_WEBHOOKS } from '../deliveries/instance-webhooks.ts'
import type { Webhooks } from '../deliveries/use-webhooks.ts'
import { toQueryHash, useRoute } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/elements.tsx'
import { Toolbar } from '../ui/filters.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-load.ts'
import { hasAllEvents, listChosenEvents } from './chosen-events.ts'

const words = texts.webhook

interface Props {
  webhooks: Webhooks
  /** The id of the open one, or `new`. */
  current: string
}

export function WebhookList({ webhooks: { first, others, active }, current }: Props) {
  const [, instance = ''] = useRoute()
  const toHref = (webhook: string) => toQueryHash(['instances', instance, 'webhook'], { webhook })
  const isFull = active.length >= MAX_WEBHOOKS
  return (
    <div class="stack tight">
      <Toolbar>
        <p class="quiet grow">{isFull ? words.full : words.several}</p>
        {!isFull && current !== 'new' && (
          <a class="button" href={toHref('new')}>
            <Icon name="plus" size={16} />
            {words.add}
          </a>
        )}
      </Toolbar>
      {others.length > 0 && (
        <ul class="list" aria-label={texts.overview.webhooks}>
          {[first, ...others].map((webhook) => (
            <WebhookRow
              key={webhook.record?.id ?? 'first'}
              webhook={webhook}
              isFirst={webhook === first}
              href={toHref(webhook === first ? '' : (webhook.record?.id ?? ''))}
              isOpen={isOpen(webhook, webhook === first, current, others)}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

/** An address that names none is that of the first. */
function isOpen(
  { record }: InstanceWebhook,
  isFirst: boolean,
  current: string,
  others: readonly InstanceWebhook[],
): boolean {
  if (!isFirst) return record?.id === current
  return current !== 'new' && !others.some((other) => other.record?.id === current)
}

interface RowProps {
  webhook: InstanceWebhook
  isFirst: boolean
  href: string
  isOpen: boolean
}

function WebhookRow({ webhook: { health, record }, isFirst, href, isOpen: open }: RowProps) {
  const { kind, label, title, text } = describeDelivery(health, useNow())
  return (
    <li>
      <a class="webhook-row" href={href} aria-current={open ? 'true' : undefined}>
        <span class="webhook-row-url cut strong">{record?.url ?? words.modes.off}</span>
        <Badge kind={badgeKinds[kind]}>{label}</Badge>
        <span class="small webhook-row-state">
          {kind === 'bad' || kind === 'warn' ? `${title} ${text}` : title}
        </span>
        <span class="small quiet cut">
          {[isFirst && words.first, ...(record ? describeSettings(record, health.inheritedGlobal) : [])]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </a>
    </li>
  )
}

function describeSettings(
  { chats, excludeMessages, headerNames, hasSecret, ...choice }: WebhookRecord,
  isInherited: boolean,
): (string | false)[] {
  const events = listChosenEvents(choice)
  return [
    isInherited && words.modes.inherit,
    hasAllEvents(events) ? words.effect.all : events.join(', '),
    ...(chats ? describeChats(chats) : []),
    (excludeMessages?.length ?? 0) > 0 && words.filtered,
    headerNames.length > 0 && words.headers.count(headerNames.length),
    !hasSecret && words.unsigned,
  ]
}

function describeChats(chats: readonly string[]): (string | false)[] {
  const kinds = (['people', 'groups'] as const).filter((kind) => chats.includes(kind))
  const listed = chats.length - kinds.length
  return [...kinds.map((kind) => words.chats.short[kind]), listed > 0 && words.chats.count(listed)]
}
