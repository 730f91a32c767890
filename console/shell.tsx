// The frame of the console: the pages at the side, the one that is open beside them.

import { useEffect } from 'preact/hooks'
import { Brand } from './greeting.tsx'
import { Health } from './health/health.tsx'
import { Hosts } from './hosts/hosts.tsx'
import { InstanceList } from './instances/list.tsx'
import { InstancePage } from './instances/page.tsx'
import { type Lab, openLab } from './laboratory/lab.ts'
import { Laboratory } from './laboratory/laboratory.tsx'
import { at } from './route.ts'
import { type Session, signOut } from './session.ts'
import { texts } from './texts.ts'
import { useLoad } from './ui/load.ts'
import { ServerWebhookPage } from './webhooks/server.tsx'

interface Props {
  session: Session
  route: string[]
}

const words = texts.nav

export function Shell({ session, route }: Props) {
  const [room = 'instances', id = session.only, tab = 'device'] = route
  const open = room === 'instances' && id ? 'instance' : room
  useEffect(() => {
    const title = (words as Record<string, string>)[open] ?? texts.name
    document.title = `${title} · ${texts.name}`
    // On a small screen there are more places than fit.
    for (const link of document.querySelectorAll('nav [aria-current]'))
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    scrollTo(0, 0)
  }, [open, id, tab])
  const lab = useLab(session)
  return (
    <div class="shell">
      <nav class="side" aria-label={words.label}>
        <Brand />
        {places(session, lab !== undefined).map(({ name, says, href }) => (
          <a class="item" key={name} href={href} aria-current={room === name ? 'page' : undefined}>
            {says}
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
      <Room session={session} lab={lab} room={room} id={id} tab={tab} />
    </div>
  )
}

/** Only where the network is simulated does the laboratory answer. */
function useLab({ adminToken }: Session): { lab: Lab; receiver: string } | undefined {
  const asked = useLoad(async () => {
    if (!adminToken) return undefined
    const lab = openLab(adminToken)
    return { lab, receiver: (await lab.receiver()).url }
  }, [adminToken])
  return asked.value
}

function places(session: Session, simulated: boolean) {
  const names = session.admin
    ? (['instances', 'webhook', 'hosts', 'health', ...(simulated ? (['laboratory'] as const) : [])] as const)
    : (['instance', 'health'] as const)
  return names.map((name) => ({
    name: name === 'instance' ? 'instances' : name,
    says: words[name],
    href: name === 'instance' ? at('instances', session.only ?? '') : at(name),
  }))
}

interface RoomProps {
  session: Session
  lab: ReturnType<typeof useLab>
  room: string
  id: string | undefined
  tab: string
}

function Room({ session, lab, room, id, tab }: RoomProps) {
  const { admin } = session
  const suggested = lab?.receiver
  if (room === 'health') return <Health admin={admin} />
  if (room === 'instances' && id) return <InstancePage key={id} {...{ session, id, tab, suggested }} />
  if (!admin) return null
  if (room === 'webhook') return <ServerWebhookPage admin={admin} suggested={suggested} />
  if (room === 'hosts') return <Hosts admin={admin} />
  if (room === 'laboratory' && lab) return <Laboratory admin={admin} session={session} lab={lab.lab} />
  return <InstanceList admin={admin} hold={session.hold} />
}
