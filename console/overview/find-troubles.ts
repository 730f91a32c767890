// Finds in the overview's counts what needs somebody, the worst first, each with the list behind it.

import type {
  AbsenceReason,
  Overview,
  WebhookState,
} from '@msgnet/shared/contract/responses/overview-responses.ts'
import { toHash, toQueryHash } from '../hash-route.ts'
import { texts } from '../texts.ts'

const words = texts.overview

export interface Trouble {
  kind: 'warn' | 'bad'
  count: number
  title: string
  hint: string
  href: string
}

/** Instances that were never linked or that the operator disconnected need nobody. */
const REASON_KINDS = {
  banned: 'bad',
  bad_session: 'bad',
  logged_out: 'bad',
  outdated: 'bad',
  replaced: 'bad',
  host_away: 'bad',
  passkey_required: 'warn',
  unreachable: 'warn',
} as const satisfies Partial<Record<AbsenceReason, Trouble['kind']>>

const WEBHOOK_KINDS = { resting: 'bad', failing: 'bad', waiting: 'warn' } as const satisfies Partial<
  Record<WebhookState, Trouble['kind']>
>

export const toInstancesHref = (query: Record<string, string>): string => toQueryHash(['instances'], query)

const listKeys = <Key extends string>(table: Record<Key, unknown>): Key[] => Object.keys(table) as Key[]

export function findTroubles(overview: Overview): Trouble[] {
  const troubles = [
    ...findHostTroubles(overview.hosts),
    ...listKeys(WEBHOOK_KINDS).map((state) => ({
      kind: WEBHOOK_KINDS[state],
      count: overview.webhooks[state],
      title: words.webhookTitles[state],
      hint: words.webhookHints[state],
      href: toInstancesHref({ webhook: state, sort: '-pending' }),
    })),
    ...listKeys(REASON_KINDS).map((reason) => ({
      kind: REASON_KINDS[reason],
      count: overview.instances.reasons[reason] ?? 0,
      title: words.reasons[reason],
      hint: words.reasonHints[reason],
      href: toInstancesHref({ reason }),
    })),
    {
      kind: 'bad' as const,
      count: overview.events.lastHour.dead,
      title: words.deadEvents,
      hint: words.deadEventsHint,
      href: toInstancesHref({ events: 'dead', sort: '-pending' }),
    },
  ]
  const present = troubles.filter(({ count }) => count > 0)
  return [...present.filter(({ kind }) => kind === 'bad'), ...present.filter(({ kind }) => kind === 'warn')]
}

function findHostTroubles({ total, linked, away, sessions, slots }: Overview['hosts']): Trouble[] {
  const href = toHash('hosts')
  if (linked === 0)
    return [{ kind: 'bad', count: Math.max(1, total), title: words.noHost, hint: words.noHostHint, href }]
  return [
    { kind: 'bad', count: away, title: words.hostAway, hint: words.hostAwayHint, href },
    {
      kind: 'warn',
      count: sessions >= slots ? sessions : 0,
      title: words.hostsFull,
      hint: words.hostsFullHint,
      href,
    },
  ]
}
