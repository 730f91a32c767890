// The frame of the console: the list of pages, and the open page.

import { useEffect } from 'preact/hooks'
import { AuditPage } from './audit/audit-page.tsx'
import type { Session } from './console-session.ts'
import { useGatewayState } from './gateway-watch.ts'
import { toHash } from './hash-route.ts'
import { HealthPage } from './health/health-page.tsx'
import { HostsPage } from './hosts/hosts-page.tsx'
import { InstancePage } from './instances/instance-page.tsx'
import { InstancesPage } from './instances/instances-page.tsx'
import { LimitsPage } from './limits/limits-page.tsx'
import { Navigation } from './navigation.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { useShortcuts } from './palette/use-shortcuts.ts'
import { SimulationClient } from './simulation/simulation-client.ts'
import type { SimulationProps } from './simulation/simulation-page.tsx'
import { texts } from './texts.ts'
import { TokensPage } from './tokens/tokens-page.tsx'
import { Button } from './ui/action-button.tsx'
import { AnswerLine } from './ui/answer-line.tsx'
import { Dialog } from './ui/dialog.tsx'
import { ErrorNote } from './ui/error-note.tsx'
import { GatewayBar } from './ui/gateway-bar.tsx'
import { Skeleton } from './ui/notices.tsx'
import { usePageTitle } from './ui/page-title.ts'
import { useLoad } from './ui/use-load.ts'
import { UnreadProvider } from './unread/unread-context.tsx'
import { ServerWebhookPage } from './webhooks/server-webhook-page.tsx'

interface Props {
  session: Session
  route: string[]
}

const words = texts.nav

export function Shell({ session, route }: Props) {
  const [page = session.admin ? 'overview' : 'instances', id = session.only, tab = 'device'] = route
  const open = page === 'instances' && id ? 'instance' : page
  // That of an instance has its name.
  const title = (words as Record<string, string>)[open] ?? texts.name
  usePageTitle(open === 'instance' ? '' : `${title} · ${texts.name}`)
  useEffect(() => {
    scrollTo(0, 0)
  }, [open, id, tab])
  const simulation = useSimulation(session)
  const { absent } = useGatewayState()
  const keys = useShortcuts()
  const pages = listPages(session, simulation !== undefined)
  // A conversation has the whole window.
  const isSlim = open === 'instance' && tab === 'chats'
  return (
    <UnreadProvider session={session}>
      <div class={isSlim ? 'shell slim' : 'shell'}>
        <Navigation {...{ pages, page, isSlim }} onPalette={() => keys.show('palette')} />
        <div class={`content${absent ? ' stale' : ''}`}>
          <GatewayBar />
          <AnswerLine page={route.join('/')} />
          <OpenPage session={session} simulation={simulation} page={page} id={id} tab={tab} />
        </div>
      </div>
      {keys.shown && <KeyDialogs {...{ session, pages, keys }} />}
    </UnreadProvider>
  )
}

/** Undefined where the network is not simulated. */
function useSimulation({
  adminToken,
  canOperate,
}: Session): { simulation: SimulationClient; receiver: string } | undefined {
  const loaded = useLoad(async () => {
    if (!adminToken || !canOperate) return undefined
    const simulation = new SimulationClient(adminToken)
    return { simulation, receiver: (await simulation.readReceiver()).url }
  }, [adminToken])
  return loaded.value
}

/** The pages of an admin, in groups. */
const ADMIN_PAGES = [
  ['overview', 'inbox', 'instances', 'webhook'],
  ['hosts', 'health'],
  ['tokens', 'audit', 'limits'],
  ['simulation'],
] as const
const PAGE_ICONS = {
  overview: 'overview',
  inbox: 'chat',
  instances: 'instances',
  webhook: 'webhook',
  hosts: 'hosts',
  health: 'health',
  tokens: 'key',
  audit: 'list',
  limits: 'settings',
  simulation: 'simulation',
} as const

function listPages({ admin, only, canOperate }: Session, isSimulated: boolean) {
  if (!admin)
    return [
      {
        name: 'instances',
        icon: 'instances',
        label: words.instance,
        href: toHash('instances', only ?? ''),
        isFirst: false,
      },
      { name: 'inbox', icon: 'chat', label: words.inbox, href: toHash('inbox'), isFirst: false },
      { name: 'health', icon: 'health', label: words.health, href: toHash('health'), isFirst: false },
    ] as const
  return ADMIN_PAGES.flatMap((group, groupIndex) =>
    group
      .filter((name) => (name !== 'simulation' || isSimulated) && (name !== 'inbox' || canOperate))
      .map((name, index) => ({
        name,
        icon: PAGE_ICONS[name],
        label: words[name],
        href: toHash(name),
        isFirst: groupIndex > 0 && index === 0,
      })),
  )
}

interface OpenPageProps {
  session: Session
  simulation: ReturnType<typeof useSimulation>
  page: string
  id: string | undefined
  tab: string
}

function OpenPage({ session, simulation, page, id, tab }: OpenPageProps) {
  const { admin } = session
  const suggested = simulation?.receiver
  if (page === 'health') return <HealthPage admin={admin} />
  if (page === 'inbox' && session.canOperate) return <LaterInbox session={session} />
  if (page === 'instances' && id) return <InstancePage key={id} {...{ session, id, tab, suggested }} />
  if (!admin) return null
  if (page === 'instances') return <InstancesPage admin={admin} canCreate={session.canOperate} />
  if (page === 'webhook') return <ServerWebhookPage admin={admin} suggested={suggested} />
  if (page === 'hosts') return <HostsPage admin={admin} />
  if (page === 'audit') return <AuditPage admin={admin} />
  if (page === 'limits') return <LimitsPage admin={admin} />
  if (page === 'tokens') return <TokensPage admin={admin} canAdminister={session.canAdminister} />
  if (page === 'simulation' && simulation)
    return <LaterSimulation admin={admin} session={session} simulation={simulation.simulation} />
  return <OverviewPage admin={admin} />
}

/** No gateway of the live network needs this page, so its script is loaded when it is opened. */
function LaterSimulation(props: SimulationProps) {
  const { value: loaded, error } = useLoad(() => import('./simulation/simulation-page.tsx'), [])
  if (error !== undefined) return <ErrorNote error={error} />
  return loaded ? <loaded.SimulationPage {...props} /> : <Skeleton />
}

function LaterInbox({ session }: { session: Session }) {
  const { value: loaded, error } = useLoad(() => import('./inbox/inbox-page.tsx'), [])
  if (error !== undefined) return <ErrorNote error={error} />
  return loaded ? <loaded.InboxPage session={session} /> : <Skeleton />
}

interface KeyDialogsProps {
  session: Session
  pages: ReturnType<typeof listPages>
  keys: ReturnType<typeof useShortcuts>
}

function KeyDialogs({ session, pages, keys: { shown, show } }: KeyDialogsProps) {
  const { value: loaded, error } = useLoad(() => import('./palette/command-palette.tsx'), [])
  // Another may have been opened before the browser reports the end of this one.
  const onClose = () => show((now) => (now === shown ? undefined : now))
  if (error !== undefined) {
    const actions = () => <Button onClick={onClose}>{texts.close}</Button>
    return (
      <Dialog title={texts.palette.open} onClose={onClose} renderActions={actions}>
        <ErrorNote error={error} />
      </Dialog>
    )
  }
  if (!loaded) return null
  if (shown === 'keys') return <loaded.KeyList onClose={onClose} />
  return <loaded.CommandPalette {...{ session, pages, onClose }} onKeys={() => show('keys')} />
}
