// The session hosts with their region, load and lease, and the button that drains one.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin-client.ts'
import type { Host } from '../../shared/contract/responses/host-responses.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Badge, Loading, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad, useNow } from '../ui/use-load.ts'

const words = texts.hosts
const RELOAD_MS = 3000

export function HostsPage({ admin }: { admin: AdminClient }) {
  const { value, error, reload } = useLoad(() => admin.hosts.list(), [admin], RELOAD_MS)
  return (
    <main class="page">
      <h1>{texts.nav.hosts}</h1>
      <p class="quiet">{words.description}</p>
      {error !== undefined && <ErrorNote error={error} />}
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
  const [confirming, setConfirming] = useState(false)
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
        <dd>{host.live ? words.leaseLeft(left) : <TimeAgo time={host.leaseUntil} />}</dd>
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
        {!host.draining && <Button onClick={() => setConfirming(true)}>{words.drain}</Button>}
        {!host.live && (
          <ActionButton class="danger" onAction={() => admin.hosts.delete(host.id).then(onChanged)}>
            {words.remove}
          </ActionButton>
        )}
      </div>
      {confirming && (
        <Dialog
          title={words.drainTitle}
          onClose={() => setConfirming(false)}
          onSubmit={async () => {
            await admin.hosts.drain(host.id)
            setConfirming(false)
            await onChanged()
          }}
          renderActions={(busy) => (
            <>
              <Button onClick={() => setConfirming(false)}>{texts.cancel}</Button>
              <Button class="main" type="submit" busy={busy}>
                {words.drain}
              </Button>
            </>
          )}
        >
          <p>{words.drainHint}</p>
        </Dialog>
      )}
    </section>
  )
}
