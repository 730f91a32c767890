// One instance: its state at the top, its parts as tabs.

import { useEffect, useState } from 'preact/hooks'
import type { Connection } from '../../shared/contract/responses/instance-responses.ts'
import type { Session } from '../console-session.ts'
import { ConversationTab } from '../conversation/conversation-tab.tsx'
import { GroupsTab } from '../conversation/groups-tab.tsx'
import { DeliveriesTab } from '../deliveries/deliveries-tab.tsx'
import { HealthBadge } from '../deliveries/health-badge.tsx'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { PageHeader, Tabs } from '../ui/page-header.tsx'
import { type Loaded, useLoad } from '../ui/use-load.ts'
import { WebhookTab } from '../webhooks/webhook-tab.tsx'
import { DeviceTab } from './device-tab.tsx'
import { createControls } from './instance-controls.ts'
import { StateBadge } from './state-badge.tsx'

const words = texts.instance
const tabs = ['device', 'chats', 'groups', 'webhook', 'deliveries'] as const

interface Props {
  session: Session
  id: string
  tab: string
  /** The URL of a receiver to try. */
  suggested?: string | undefined
}

export function InstancePage({ session, id, tab, suggested }: Props) {
  const controls = createControls(session, id)
  const state = useConnection(controls.status, id)
  const { value: connection, error } = state
  return (
    <main class="page">
      <PageHeader
        {...(session.admin && { back: { href: toHash('instances'), label: words.back } })}
        title={connection?.instance.name ?? '…'}
        count={
          connection && (
            <>
              <StateBadge status={connection.instance.status} pairing={connection.pairing !== undefined} />{' '}
              {connection.webhooks && <HealthBadge instanceId={id} health={connection.webhooks} />}
            </>
          )
        }
      />
      <Tabs
        label={connection?.instance.name ?? ''}
        items={tabs.map((each) => ({
          label: words.tabs[each],
          href: toHash('instances', id, each),
          current: tab === each,
        }))}
      />
      {error !== undefined && <ErrorNote error={error} />}
      {!connection && error === undefined && <Loading />}
      {connection && tab === 'device' && <DeviceTab {...{ session, controls, state, connection }} />}
      {connection && tab !== 'device' && (
        <InstanceTab {...{ session, id, tab, suggested, state, connection }} />
      )}
    </main>
  )
}

interface TabProps extends Props {
  state: Loaded<Connection>
  connection: Connection
}

/** The tabs that ask as the instance. */
function InstanceTab({ session, id, tab, suggested, state, connection }: TabProps) {
  const client = session.getClient(id)
  if (!client) return null
  if (tab === 'chats') return <ConversationTab client={client} />
  if (tab === 'groups') return <GroupsTab client={client} />
  const { webhooks: health = noWebhook } = connection
  const delivery = { client, health, onChange: state.reload, canSaveServer: session.admin !== undefined }
  if (tab === 'deliveries') return <DeliveriesTab {...delivery} />
  return <WebhookTab {...delivery} token={session.token} suggested={suggested} />
}

const noWebhook = { registered: false, inheritedGlobal: false }
const FAST_RELOAD_MS = 1000
const SLOW_RELOAD_MS = 5000

/** Loads often while the instance is linking or connecting, because the QR code and the state change. */
function useConnection(status: () => Promise<Connection>, id: string): Loaded<Connection> {
  const [intervalMs, setIntervalMs] = useState(FAST_RELOAD_MS)
  const state = useLoad(status, [id], intervalMs)
  const changing = !state.value || state.value.instance.status === 'connecting'
  useEffect(() => setIntervalMs(changing ? FAST_RELOAD_MS : SLOW_RELOAD_MS), [changing])
  return state
}
