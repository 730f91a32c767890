// The device of an instance: linking, session, proxy, token, and deletion.

import { texts } from '../texts.ts'
import { TimeAgo } from '../ui/elements.tsx'
import type { DeviceProps } from './instance-controls.ts'
import { LinkCard } from './link-card.tsx'
import { ProxyCard } from './proxy-card.tsx'
import { SessionCard } from './session-card.tsx'
import { TokenCard } from './token-card.tsx'

const words = texts.instance

export function DeviceTab(props: DeviceProps) {
  const { session, connection } = props
  const { instance } = connection
  const client = session.getClient(instance.id)
  return (
    <div class="columns">
      <div class="stack">
        <LinkCard {...props} />
        <section class="card stack">
          <dl class="facts">
            <dt>{words.facts.number}</dt>
            <dd>{instance.owner ? `+${instance.owner}` : texts.instances.unlinked}</dd>
            {instance.profileName && (
              <>
                <dt>{words.facts.profile}</dt>
                <dd>{instance.profileName}</dd>
              </>
            )}
            <dt>{words.facts.kind}</dt>
            <dd>{texts.instances.kinds[instance.kind]}</dd>
            {instance.companyId && (
              <>
                <dt>{words.facts.company}</dt>
                <dd>{instance.companyId}</dd>
              </>
            )}
            <dt>{words.facts.created}</dt>
            <dd>
              <TimeAgo time={instance.createdAt} />
            </dd>
            {instance.lastDisconnectReason && (
              <>
                <dt>{words.facts.last}</dt>
                <dd>
                  {texts.reasons[instance.lastDisconnectReason]} <TimeAgo time={instance.lastDisconnect} />
                </dd>
              </>
            )}
            <dt>{words.facts.id}</dt>
            <dd>
              <code>{instance.id}</code>
            </dd>
          </dl>
        </section>
      </div>
      <div class="stack">
        <SessionCard {...props} />
        {client && <ProxyCard client={client} />}
        {session.admin && <TokenCard admin={session.admin} session={session} id={instance.id} />}
      </div>
    </div>
  )
}
