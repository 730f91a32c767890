// The device of an instance: linking, session, limits, tokens, and deletion.

import type { Coverage } from '@msgnet/shared/contract/coverage.ts'
import type { Instance } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { formatPhone } from '../format-id.ts'
import { CoverageFacts } from '../gap-lines.tsx'
import { toQueryHash } from '../hash-route.ts'
import { AccountLimitsCard } from '../limits/account-limits-card.tsx'
import { texts } from '../texts.ts'
import { ScopedTokensCard } from '../tokens/scoped-tokens-card.tsx'
import { Fact, TimeAgo } from '../ui/elements.tsx'
import type { DeviceProps } from './instance-controls.ts'
import { LinkCard } from './link-card.tsx'
import { findLoss, LostDevice, useLastNumber } from './lost-device.tsx'
import { ReadOnlyNote } from './read-only-note.tsx'
import { SessionCard } from './session-card.tsx'
import { TokenCard } from './token-card.tsx'

const words = texts.instance

export function DeviceTab(props: DeviceProps) {
  const { session, connection } = props
  const { instance } = connection
  const lost = findLoss(connection)
  const number = useLastNumber(session.admin, instance)
  const facts = <InstanceFacts {...connection} number={number} isAdmin={session.admin !== undefined} />
  const client = session.getClient(instance.id)
  if (!session.canOperate)
    return (
      <>
        <ReadOnlyNote />
        {facts}
      </>
    )
  return (
    <div class="columns">
      <div class="stack">
        {lost ? <LostDevice {...props} reason={lost} number={number} /> : <LinkCard {...props} />}
        {facts}
      </div>
      <div class="stack">
        <SessionCard {...props} />
        {client && <AccountLimitsCard client={client} />}
        {session.admin && <TokenCard admin={session.admin} id={instance.id} />}
        {client && !isScoped(session.token) && <ScopedTokensCard client={client} />}
      </div>
    </div>
  )
}

/** A scoped token lists no others. */
const isScoped = (token: string | undefined): boolean => token?.startsWith('mgs_') ?? false

interface FactsProps {
  instance: Instance
  /** Of the account that is linked, or was linked last; empty if that is not known. */
  number: string
  coverage: Coverage
  isAdmin: boolean
}

const InstanceFacts = ({ instance, number, coverage, isAdmin }: FactsProps) => (
  <section class="card stack">
    <dl class="facts">
      <Fact name={words.facts.number}>
        {number && formatPhone(number)}
        {!instance.owner && <span class="quiet"> {texts.instances.unlinked}</span>}
      </Fact>
      {instance.profileName && <Fact name={words.facts.profile}>{instance.profileName}</Fact>}
      <Fact name={words.facts.kind}>{texts.instances.kinds[instance.kind]}</Fact>
      {instance.companyId && <Fact name={words.facts.company}>{instance.companyId}</Fact>}
      <Fact name={words.facts.created}>
        <TimeAgo time={instance.createdAt} />
      </Fact>
      {instance.lastDisconnectReason && (
        <Fact name={words.facts.last}>
          {texts.reasons[instance.lastDisconnectReason]} <TimeAgo time={instance.lastDisconnect} />
        </Fact>
      )}
      {coverage.since > 0 && <CoverageFacts coverage={coverage} />}
      <Fact name={words.facts.id}>
        <code>{instance.id}</code>
      </Fact>
    </dl>
    {isAdmin && <a href={toQueryHash(['audit'], { object: instance.id })}>{texts.audit.ofInstance}</a>}
  </section>
)
