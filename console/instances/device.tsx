// The device of an instance: linking, session, proxy, token, and deletion.

import { texts } from '../texts.ts'
import { Ago } from '../ui/parts.tsx'
import type { DeviceProps } from './acts.ts'
import { Linking } from './linking.tsx'
import { ProxyCard } from './proxy-card.tsx'
import { SessionCard } from './session-card.tsx'
import { TokenCard } from './token-card.tsx'

const words = texts.instance

export function Device(props: DeviceProps) {
  const { session, connection } = props
  const { instance } = connection
  const client = session.instance(instance.id)
  return (
    <div class="columns">
      <div class="stack">
        <Linking {...props} />
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
              <Ago time={instance.createdAt} />
            </dd>
            {instance.lastDisconnectReason && (
              <>
                <dt>{words.facts.last}</dt>
                <dd>
                  {texts.reasons[instance.lastDisconnectReason]} <Ago time={instance.lastDisconnect} />
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
