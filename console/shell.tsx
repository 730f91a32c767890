// The frame of the console: the list of pages, and the open page.

import { useEffect } from 'preact/hooks'
import { type Session, signOut } from './console-session.ts'
import { Brand } from './greeting-page.tsx'
import { toHash } from './hash-route.ts'
import { HealthPage } from './health/health-page.tsx'
import { HostsPage } from './hosts/hosts-page.tsx'
import { InstancePage } from './instances/instance-page.tsx'
import { InstancesPage } from './instances/instances-page.tsx'
import { LaboratoryClient } from './laboratory/laboratory-client.ts'
import { LaboratoryPage } from './laboratory/laboratory-page.tsx'
import { texts } from './texts.ts'
import { useLoad } from './ui/use-load.ts'
import { ServerWebhookPage } from './webhooks/server-webhook-page.tsx'

interface Props {
  session: Session
  route: string[]
}

const words = texts.nav

export function Shell({ session, route }: Props) {
  const [page = 'instances', id = session.only, tab = 'device'] = route
  const open = page === 'instances' && id ? 'instance' : page
  useEffect(() => {
    const title = (words as Record<string, string>)[open] ?? texts.name
    document.title = `${title} · ${texts.name}`
    // On a small screen there are more places than fit.
    for (const link of document.querySelectorAll('nav [aria-current]'))
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    scrollTo(0, 0)
  }, [open, id, tab])
  const laboratory = useLaboratory(session)
  return (
    <div class="shell">
      <nav class="side" aria-label={words.label}>
        <Brand />
        {listPages(session, laboratory !== undefined).map(({ name, label, href }) => (
          <a class="item" key={name} href={href} aria-current={page === name ? 'page' : undefined}>
            {label}
          </a>
        ))}
        <div class="end">
          <a class="item" href="/docs">
            {words.docs}
          </a>
          <button type="button" class="item" onClick={signOut}>
            {texts.signIn.out}
          </button>
        </div>
      </nav>
      <OpenPage session={session} laboratory={laboratory} page={page} id={id} tab={tab} />
    </div>
  )
}

/** Only where the network is simulated does the laboratory answer. */
function useLaboratory({
  adminToken,
}: Session): { laboratory: LaboratoryClient; receiver: string } | undefined {
  const loaded = useLoad(async () => {
    if (!adminToken) return undefined
    const laboratory = new LaboratoryClient(adminToken)
    return { laboratory, receiver: (await laboratory.readReceiver()).url }
  }, [adminToken])
  return loaded.value
}

function listPages(session: Session, simulated: boolean) {
  const names = session.admin
    ? (['instances', 'webhook', 'hosts', 'health', ...(simulated ? (['laboratory'] as const) : [])] as const)
    : (['instance', 'health'] as const)
  return names.map((name) => ({
    name: name === 'instance' ? 'instances' : name,
    label: words[name],
    href: name === 'instance' ? toHash('instances', session.only ?? '') : toHash(name),
  }))
}

interface OpenPageProps {
  session: Session
  laboratory: ReturnType<typeof useLaboratory>
  page: string
  id: string | undefined
  tab: string
}

function OpenPage({ session, laboratory, page, id, tab }: OpenPageProps) {
  const { admin } = session
  const suggested = laboratory?.receiver
  if (page === 'health') return <HealthPage admin={admin} />
  if (page === 'instances' && id) return <InstancePage key={id} {...{ session, id, tab, suggested }} />
  if (!admin) return null
  if (page === 'webhook') return <ServerWebhookPage admin={admin} suggested={suggested} />
  if (page === 'hosts') return <HostsPage admin={admin} />
  if (page === 'laboratory' && laboratory)
    return <LaboratoryPage admin={admin} session={session} laboratory={laboratory.laboratory} />
  return <InstancesPage admin={admin} storeToken={session.storeToken} />
}
