// The frame of the console: the pages at the side, the one that is open beside them.

import { useEffect } from 'preact/hooks'
import { Brand } from './greeting.tsx'
import { InstanceList } from './instances/list.tsx'
import { InstancePage } from './instances/page.tsx'
import { at } from './route.ts'
import { type Session, signOut } from './session.ts'
import { texts } from './texts.ts'
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
    scrollTo(0, 0)
  }, [open, id, tab])
  return (
    <div class="shell">
      <nav class="side" aria-label={words.label}>
        <Brand />
        {places(session).map(({ name, says, href }) => (
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
      <Room session={session} room={room} id={id} tab={tab} />
    </div>
  )
}

function places(session: Session) {
  if (!session.admin)
    return [{ name: 'instances', says: words.instance, href: at('instances', session.only ?? '') }]
  return (['instances', 'webhook'] as const).map((name) => ({ name, says: words[name], href: at(name) }))
}

function Room({
  session,
  room,
  id,
  tab,
}: {
  session: Session
  room: string
  id: string | undefined
  tab: string
}) {
  if (room === 'instances' && id) return <InstancePage key={id} session={session} id={id} tab={tab} />
  if (room === 'webhook' && session.admin)
    return <ServerWebhookPage admin={session.admin} suggested={undefined} />
  return session.admin ? <InstanceList admin={session.admin} hold={session.hold} /> : null
}
