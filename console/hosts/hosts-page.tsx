// The session hosts with their region, load and lease, and the button that drains one.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Host } from '@msgnet/shared/contract/responses/host-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Badge, Fact, TimeAgo } from '../ui/elements.tsx'
import { LoadedContent } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useLoad, useNow } from '../ui/use-load.ts'

const words = texts.hosts
const RELOAD_MS = 3000

export function HostsPage({ admin }: { admin: AdminClient }) {
  const loaded = useLoad(() => admin.hosts.list(), [admin], RELOAD_MS)
  return (
    <main class="page">
      <PageHeader
        title={texts.nav.hosts}
        count={loaded.value?.hosts.length}
        description={words.description}
      />
      <LoadedContent loaded={loaded} skeletonRows={3}>
        {({ hosts }) => (
          <>
            {hosts.length === 0 && <EmptyState icon="hosts" title={words.none} />}
            <ul class="columns">
              {hosts.map((host) => (
                <li key={host.id}>
                  <HostCard admin={admin} host={host} onChanged={loaded.reload} />
                </li>
              ))}
            </ul>
          </>
        )}
      </LoadedContent>
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
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{host.region || words.noRegion}</h2>
        <span class="line">
          {host.draining && <Badge kind="warn">{words.draining}</Badge>}
          <Badge kind={host.live ? 'good' : 'bad'}>{host.live ? words.live : words.away}</Badge>
        </span>
      </div>
      <SlotBar host={host} />
      <HostFacts host={host} />
      <div class="line">
        {!host.draining && <Button onClick={() => setConfirming(true)}>{words.drain}</Button>}
        {!host.live && (
          <ActionButton class="danger" onAction={() => admin.hosts.delete(host.id).then(onChanged)}>
            {words.remove}
          </ActionButton>
        )}
      </div>
      {confirming && (
        <DrainDialog
          onClose={() => setConfirming(false)}
          onDrain={async () => {
            await admin.hosts.drain(host.id)
            setConfirming(false)
            await onChanged()
          }}
        />
      )}
    </section>
  )
}

function SlotBar({ host: { sessions, slots } }: { host: Host }) {
  const share = slots ? sessions / slots : 0
  return (
    <div class="stack tight">
      <span class="small">{words.sessions(sessions, slots)}</span>
      <div class={`bar${share > 0.9 ? ' warn' : ''}`}>
        <i style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
    </div>
  )
}

function HostFacts({ host }: { host: Host }) {
  const now = useNow()
  const left = Math.max(0, Math.round((new Date(host.leaseUntil).getTime() - now) / 1000))
  return (
    <dl class="facts">
      <Fact name={words.lease}>{host.live ? words.leaseLeft(left) : <TimeAgo time={host.leaseUntil} />}</Fact>
      <Fact name={words.lag}>
        {host.lag} ms {host.lag > 200 && <Badge kind="warn">{words.slow}</Badge>}
      </Fact>
      <Fact name={words.store}>
        <code>{host.store || '–'}</code>
      </Fact>
      <Fact name={texts.instance.facts.id}>
        <code>{host.id}</code>
      </Fact>
    </dl>
  )
}

interface DrainDialogProps {
  onClose: () => void
  onDrain: () => Promise<void>
}

const DrainDialog = ({ onClose, onDrain }: DrainDialogProps) => (
  <ConfirmDialog title={words.drainTitle} onClose={onClose} onConfirm={onDrain} confirm={words.drain}>
    <p>{words.drainHint}</p>
  </ConfirmDialog>
)
