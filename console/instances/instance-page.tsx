// One instance: its state at the top, its pages beside it.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Connection } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { AccountTab } from '../account/account-pages.tsx'
import type { AccountProps } from '../account-props.ts'
import type { Session } from '../console-session.ts'
import type { ConversationProps } from '../conversation/conversation-tab.tsx'
import { GroupsTab } from '../conversation/groups-tab.tsx'
import { DeliveriesTab } from '../deliveries/deliveries-tab.tsx'
import type { EventReader } from '../deliveries/event-log.ts'
import { HealthBadge } from '../deliveries/health-badge.tsx'
import { useWebhooks, type Webhooks } from '../deliveries/use-webhooks.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Skeleton } from '../ui/notices.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { usePageTitle } from '../ui/page-title.ts'
import { type Loaded, useLoad } from '../ui/use-load.ts'
import { WebhookTab } from '../webhooks/webhook-tab.tsx'
import { DeviceTab } from './device-tab.tsx'
import { createControls } from './instance-controls.ts'
import { InstanceNav, type InstanceTab, toInstanceTab } from './instance-nav.tsx'
import { ProxyCard } from './proxy-card.tsx'
import { ReadOnlyNote } from './read-only-note.tsx'
import { StateBadge } from './state-badge.tsx'

const words = texts.instance

interface Props {
  session: Session
  id: string
  tab: string
  /** The URL of a receiver to try. */
  suggested?: string | undefined
}

export function InstancePage({ session, id, tab: name, suggested }: Props) {
  const controls = createControls(session, id)
  const state = useConnection(controls.status, id)
  const { value: connection, error } = state
  const webhooks = useWebhooks(
    session.canOperate ? session.getClient(id) : undefined,
    connection?.webhooks ?? noWebhook,
  )
  const tab = toInstanceTab(name)
  const title = connection?.instance.name ?? '…'
  usePageTitle(`${words.tabs[tab]} · ${title}`)
  return (
    <main class={tab === 'chats' ? 'page talk-page' : 'page'}>
      <PageHeader
        {...(session.admin && { back: { href: toHash('instances'), label: words.back } })}
        title={title}
        count={
          connection && (
            <>
              <StateBadge status={connection.instance.status} pairing={connection.pairing !== undefined} />{' '}
              {connection.webhooks && (
                <HealthBadge
                  instanceId={id}
                  webhooks={webhooks}
                  hasDevice={connection.instance.status !== 'disconnected'}
                />
              )}
            </>
          )
        }
      />
      <div class="with-subnav">
        <InstanceNav id={id} label={title} current={tab} />
        <div class="stack">
          {error !== undefined && <ErrorNote error={error} />}
          {!connection && error === undefined && <Skeleton />}
          {connection && tab === 'device' && <DeviceTab {...{ session, controls, state, connection }} />}
          {connection && tab !== 'device' && (
            <OtherTab {...{ session, id, tab, suggested, state, webhooks, connection }} />
          )}
        </div>
      </div>
    </main>
  )
}

interface TabProps extends Props {
  tab: Exclude<InstanceTab, 'device'>
  state: Loaded<Connection>
  webhooks: Webhooks
  connection: Connection
}

/** The tabs that ask as the instance. */
function OtherTab({ session, id, tab, suggested, state, webhooks, connection }: TabProps) {
  const client = session.getClient(id)
  if (!client) return null
  const reloadHealth = () => Promise.all([state.reload(), webhooks.reload()])
  if (!session.canOperate)
    return tab === 'deliveries' && session.admin ? (
      <ReadDeliveries admin={session.admin} {...{ id, webhooks }} onChange={reloadHealth} />
    ) : (
      <ReadOnlyNote />
    )
  if (tab === 'chats') return <LoadedConversation client={client} {...connection} />
  if (tab === 'groups') return <GroupsTab client={client} own={connection.instance.owner} />
  if (tab === 'proxy') return <ProxyCard client={client} />
  const delivery = { client, webhooks, onChange: reloadHealth, canSaveServer: session.admin !== undefined }
  if (tab === 'deliveries') return <DeliveriesTab {...delivery} reader={client} />
  if (tab === 'webhook')
    return (
      <WebhookTab
        {...delivery}
        {...{ suggested, instance: id, token: session.token, admin: session.admin }}
      />
    )
  return <LaterTab {...{ tab, client, connection }} admin={session.admin} onChange={state.reload} />
}

interface ReadProps {
  admin: AdminClient
  id: string
  webhooks: Webhooks
  onChange: () => Promise<unknown>
}

/** For a token that may only read: which events there are and how each attempt ended, without texts and without actions. */
function ReadDeliveries({ admin, id, webhooks, onChange }: ReadProps) {
  const reader = useMemo(
    (): EventReader => ({
      events: (filter) => admin.events({ ...filter, instance: id }),
      event: admin.event,
    }),
    [admin, id],
  )
  return <DeliveriesTab {...{ reader, webhooks, onChange }} client={undefined} canSaveServer={false} />
}

/** These pages are opened rarely, so their script is loaded with the first of them. */
function LaterTab(props: AccountProps & { tab: AccountTab }) {
  const { value: pages, error } = useLoad(() => import('../account/account-pages.tsx'), [])
  if (error !== undefined) return <ErrorNote error={error} />
  return pages ? <pages.AccountPage {...props} /> : <Skeleton />
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

/** Most visits to an instance do not open it. */
function LoadedConversation(props: ConversationProps) {
  const { value: loaded, error } = useLoad(() => import('../conversation/conversation-tab.tsx'), [])
  if (error !== undefined) return <ErrorNote error={error} />
  return loaded ? <loaded.ConversationTab {...props} /> : <Skeleton rows={6} />
}
