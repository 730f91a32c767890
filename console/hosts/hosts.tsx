// The session hosts with their region, load and lease, and the button that drains one.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin.ts'
import type { Host } from '../../shared/contract/answers/host.ts'
import { texts } from '../texts.ts'
import { Act, Button } from '../ui/act.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useLoad, useNow } from '../ui/load.ts'
import { Ago, Badge, Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'

const words = texts.hosts
const EVERY_MS = 3000

export function Hosts({ admin }: { admin: AdminClient }) {
  const { value, error, reload } = useLoad(() => admin.hosts.list(), [admin], EVERY_MS)
  return (
    <main class="page">
      <h1>{texts.nav.hosts}</h1>
      <p class="quiet">{words.says}</p>
      {error !== undefined && <Trouble error={error} />}
      {!value && error === undefined && <Loading />}
      {value?.hosts.length === 0 && <p class="card empty quiet">{words.none}</p>}
      <ul class="columns">
        {value?.hosts.map((host) => (
          <li key={host.id}>
            <HostCard admin={admin} host={host} onChanged={reload} />
          </li>
        ))}
      </ul>
    </main>
  )
}

interface Props {
  admin: AdminClient
  host: Host
  onChanged: () => Promise<void>
}

function HostCard({ admin, host, onChanged }: Props) {
  const [asking, setAsking] = useState(false)
  const now = useNow()
  const left = Math.max(0, Math.round((new Date(host.leaseUntil).getTime() - now) / 1000))
  const full = host.slots ? host.sessions / host.slots : 0
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{host.region || words.noRegion}</h2>
        <span class="line">
          {host.draining && <Badge kind="warn">{words.draining}</Badge>}
          <Badge kind={host.live ? 'good' : 'bad'}>{host.live ? words.live : words.away}</Badge>
        </span>
      </div>
      <div class="stack tight">
        <span class="small">{words.sessions(host.sessions, host.slots)}</span>
        <div class={`bar${full > 0.9 ? ' warn' : ''}`}>
          <i style={{ width: `${Math.min(100, full * 100)}%` }} />
        </div>
      </div>
      <dl class="facts">
        <dt>{words.lease}</dt>
        <dd>{host.live ? words.leaseLeft(left) : <Ago time={host.leaseUntil} />}</dd>
        <dt>{words.lag}</dt>
        <dd>
          {host.lag} ms {host.lag > 200 && <Badge kind="warn">{words.slow}</Badge>}
        </dd>
        <dt>{words.store}</dt>
        <dd>
          <code>{host.store || '–'}</code>
        </dd>
        <dt>{texts.instance.facts.id}</dt>
        <dd>
          <code>{host.id}</code>
        </dd>
      </dl>
      <div class="line">
        {!host.draining && <Button onClick={() => setAsking(true)}>{words.drain}</Button>}
        {!host.live && (
          <Act class="danger" act={() => admin.hosts.delete(host.id).then(onChanged)}>
            {words.remove}
          </Act>
        )}
      </div>
      {asking && (
        <Dialog
          title={words.drainTitle}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            await admin.hosts.drain(host.id)
            setAsking(false)
            await onChanged()
          }}
          actions={(busy) => (
            <>
              <Button onClick={() => setAsking(false)}>{texts.cancel}</Button>
              <Button class="main" type="submit" busy={busy}>
                {words.drain}
              </Button>
            </>
          )}
        >
          <p>{words.drainSays}</p>
        </Dialog>
      )}
    </section>
  )
}
