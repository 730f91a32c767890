// The card with what the network does not let the account of an instance do for a while, and what it refused for that.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { Limits } from '@msgnet/shared/contract/responses/limit-responses.ts'
import { formatMoment, formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { Badge, Fact, Loading, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.limits
const RELOAD_MS = 10_000

export function AccountLimitsCard({ client }: { client: InstanceClient }) {
  const { value, error } = useLoad(() => client.getLimits(), [client], RELOAD_MS)
  return (
    <section class="card stack">
      <h2>{words.account}</h2>
      <p class="small quiet">{words.accountHint}</p>
      {error !== undefined && <ErrorNote error={error} />}
      {!value && error === undefined && <Loading />}
      {value && <LimitFacts limits={value} />}
    </section>
  )
}

function LimitFacts({ limits }: { limits: Limits }) {
  const { reachout_timelock: lock, rate_overlimit: rate, new_chat_cap: cap, recent } = limits
  return (
    <>
      <dl class="facts">
        <Fact name={words.newPeople}>
          <LimitState limit={lock} />
        </Fact>
        <Fact name={words.requests}>
          <LimitState limit={rate} />
        </Fact>
        {cap && (
          <Fact name={words.newChats}>
            <LimitState limit={cap} />{' '}
            {cap.total > 0 && (
              <span class="small quiet">{words.used(formatNumber(cap.used), formatNumber(cap.total))}</span>
            )}
          </Fact>
        )}
        {recent.slice(0, 5).map(({ at, route, provider_code }) => (
          <Fact key={`${at} ${route}`} name={words.recent}>
            <code>{route}</code> {provider_code} · <TimeAgo time={at} />
          </Fact>
        ))}
      </dl>
      {lock.active && <p class="note warn">{words.lockHint}</p>}
    </>
  )
}

const LimitState = ({ limit: { active, until } }: { limit: { active: boolean; until: number } }) => (
  <>
    <Badge kind={active ? 'warn' : 'good'}>{active ? words.refused : words.allowed}</Badge>{' '}
    {active && until > 0 && <span class="small">{words.until(formatMoment(until))}</span>}
  </>
)
