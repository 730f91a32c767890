// The first page of an admin: what needs somebody, then the figures behind it, each a link to its list.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Overview } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { formatMoment, formatNumber, formatPercent } from '../formats.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Icon } from '../ui/icon.tsx'
import { LoadedContent } from '../ui/list-page.tsx'
import { Banner, EmptyState } from '../ui/notices.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { stackedOutcomes } from '../ui/stacked-bars.tsx'
import { StatGrid, StatTile } from '../ui/stat-tile.tsx'
import { useLoad } from '../ui/use-load.ts'
import { formatUnread, useUnread } from '../unread/unread-context.tsx'
import { findTroubles, type Trouble, toInstancesHref } from './find-troubles.ts'
import { HourChart } from './hour-chart.tsx'
import { webhookKinds } from './webhook-kinds.ts'

const words = texts.overview
const RELOAD_MS = 5000

export function OverviewPage({ admin }: { admin: AdminClient }) {
  const loaded = useLoad(() => admin.overview(), [admin], RELOAD_MS)
  return (
    <main class="page">
      <PageHeader title={texts.nav.overview} />
      <LoadedContent loaded={loaded} skeletonRows={8}>
        {(overview) => (
          <>
            <Troubles overview={overview} />
            <InstanceFigures {...overview.instances} />
            <WebhookFigures counts={overview.webhooks} />
            <WebhookEvents events={overview.webhookEvents} />
            <EventFigures {...overview.events} />
            <HostFigures {...overview.hosts} />
          </>
        )}
      </LoadedContent>
    </main>
  )
}

function Troubles({ overview }: { overview: Overview }) {
  const troubles = findTroubles(overview)
  if (troubles.length > 0)
    return (
      <Section title={words.attention}>
        <ul class="list">
          {troubles.map((trouble) => (
            <TroubleRow key={trouble.title} {...trouble} />
          ))}
        </ul>
      </Section>
    )
  if (overview.instances.total === 0)
    return (
      <div class="list">
        <EmptyState
          icon="instances"
          title={words.none}
          hint={words.noneHint}
          actions={
            <a class="button main" href={toHash('instances')}>
              {words.openInstances}
            </a>
          }
        />
      </div>
    )
  // The hour in which an event was given up is over when the next one begins.
  const lastBad = overview.events.hours.findLastIndex(({ dead }) => dead > 0)
  const since = lastBad < 0 ? undefined : overview.events.hours[lastBad + 1]?.at
  return (
    <Banner kind="good" title={words.wellTitle}>
      {since ? words.wellSince(formatMoment(since)) : words.wellDay}
    </Banner>
  )
}

const TroubleRow = ({ kind, count, title, hint, href }: Trouble) => (
  <li>
    <a class="trouble-row" href={href}>
      <i class={`dot ${kind}`} />
      <span class="trouble-count count">{formatNumber(count)}</span>
      <span class="grow">
        <span class="strong">{title}</span>
        <br />
        <span class="small quiet">{hint}</span>
      </span>
      <Icon name="next" size={16} />
    </a>
  </li>
)

const InstanceFigures = ({ total, states, reasons }: Overview['instances']) => (
  <Section title={words.instances}>
    <StatGrid label={words.instances}>
      <StatTile label={words.total} value={total} href={toInstancesHref({})} />
      <StatTile
        label={texts.states.connected}
        value={states.connected}
        kind="good"
        href={toInstancesHref({ state: 'connected' })}
      />
      <StatTile
        label={texts.states.connecting}
        value={states.connecting}
        kind="warn"
        href={toInstancesHref({ state: 'connecting' })}
      />
      <StatTile
        label={texts.states.disconnected}
        value={states.disconnected}
        kind="bad"
        href={toInstancesHref({ state: 'disconnected' })}
      />
      <UnreadTile />
    </StatGrid>
    <p class="chips">
      {(Object.keys(words.reasons) as (keyof typeof words.reasons)[])
        .filter((reason) => reasons[reason])
        .map((reason) => (
          <a key={reason} class="chip" href={toInstancesHref({ reason })}>
            {words.reasons[reason]} <span class="count">{formatNumber(reasons[reason] ?? 0)}</span>
          </a>
        ))}
    </p>
  </Section>
)

/** Only where the inbox counts them. */
function UnreadTile() {
  const { value } = useUnread()
  if (!value) return null
  const instances = [...value.instances.values()]
  const chats = instances.reduce((sum, { total }) => sum + total, 0)
  return (
    <StatTile
      label={texts.inbox.messages}
      value={chats && formatUnread(instances)}
      href={toHash('inbox')}
      hint={chats > 0 && texts.inbox.chats(chats)}
    />
  )
}

const WebhookFigures = ({ counts }: { counts: Overview['webhooks'] }) => (
  <Section title={words.webhooks}>
    <StatGrid label={words.webhooks}>
      {(Object.keys(webhookKinds) as (keyof typeof webhookKinds)[]).map((state) => (
        <StatTile
          key={state}
          label={words.webhookStates[state]}
          value={counts[state]}
          kind={webhookKinds[state]}
          href={toInstancesHref({ webhook: state })}
        />
      ))}
    </StatGrid>
  </Section>
)

const eventKinds = { failing: 'bad', given_up: 'bad', paused: 'bad', recovered: 'good', ended: '' } as const

const WebhookEvents = ({ events }: { events: Overview['webhookEvents'] }) =>
  events.length === 0 ? null : (
    <Section title={words.webhookEvents}>
      <ul class="list">
        {events.map(({ at, instance, state, url, cause }) => (
          <li key={`${at} ${instance.id} ${state}`}>
            <a class="trouble-row" href={toHash('instances', instance.id, 'webhook')}>
              <i class={`dot ${eventKinds[state]}`} />
              <span class="grow">
                <span class="strong">{words.webhookEventTitles[state](instance.name)}</span>
                <br />
                <span class="small quiet">{[formatMoment(at), url, cause].filter(Boolean).join(' · ')}</span>
              </span>
              <Icon name="next" size={16} />
            </a>
          </li>
        ))}
      </ul>
    </Section>
  )

/** Where the instances stand whose events these are: there is no list of the events of all. */
const outcomeHrefs = {
  delivered: toInstancesHref({ sort: '-lastEvent' }),
  unaddressed: toInstancesHref({ webhook: 'off' }),
  pending: toInstancesHref({ events: 'pending', sort: '-pending' }),
  dead: toInstancesHref({ events: 'dead' }),
}
const outcomeKinds = { delivered: 'good', unaddressed: '', pending: 'warn', dead: 'bad' } as const

const EventFigures = ({ hours, lastHour, lastDay }: Overview['events']) => (
  <Section title={words.events}>
    <StatGrid label={words.events}>
      {stackedOutcomes.map((outcome) => (
        <StatTile
          key={outcome}
          label={words.outcomes[outcome]}
          value={lastDay[outcome]}
          kind={outcomeKinds[outcome]}
          href={outcomeHrefs[outcome]}
          hint={`${words.lastHour}: ${formatNumber(lastHour[outcome])}`}
        />
      ))}
    </StatGrid>
    <HourChart hours={hours} />
  </Section>
)

function HostFigures({ linked, draining, away, sessions, slots }: Overview['hosts']) {
  const href = toHash('hosts')
  return (
    <Section title={words.hosts}>
      <StatGrid label={words.hosts}>
        <StatTile label={words.hostsLinked} value={linked} kind="good" href={href} />
        <StatTile label={words.hostsDraining} value={draining} kind="warn" href={href} />
        <StatTile label={words.hostsAway} value={away} kind="bad" href={href} />
        <StatTile
          label={words.slots}
          value={`${formatNumber(sessions)} / ${formatNumber(slots)}`}
          href={href}
          hint={words.slotsHint(formatPercent(slots ? sessions / slots : 0))}
        />
      </StatGrid>
    </Section>
  )
}
