// One instance: its state at the top, its parts as tabs.

import { useEffect, useState } from 'preact/hooks'
import type { Connection } from '../../shared/contract/answers/instance.ts'
import { Conversation } from '../conversation/conversation.tsx'
import { Groups } from '../conversation/groups.tsx'
import { Deliveries } from '../deliveries/deliveries.tsx'
import { at } from '../route.ts'
import type { Session } from '../session.ts'
import { texts } from '../texts.ts'
import { type Loaded, useLoad } from '../ui/load.ts'
import { Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { WebhookPage } from '../webhooks/webhook.tsx'
import { actsOn } from './acts.ts'
import { Device } from './device.tsx'
import { State } from './state.tsx'
import { Unlock } from './token-card.tsx'

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
  const acts = actsOn(session, id)
  const state = useInstance(acts.status, id)
  const { value: connection, error } = state
  return (
    <main class="page">
      <header class="stack tight">
        {session.admin && (
          <a class="small" href={at('instances')}>
            ← {words.back}
          </a>
        )}
        <div class="line">
          <h1>{connection?.instance.name ?? '…'}</h1>
          {connection && (
            <State status={connection.instance.status} pairing={connection.pairing !== undefined} />
          )}
        </div>
      </header>
      <nav class="tabs" aria-label={connection?.instance.name ?? ''}>
        {tabs.map((each) => (
          <a key={each} href={at('instances', id, each)} aria-current={tab === each ? 'page' : undefined}>
            {words.tabs[each]}
          </a>
        ))}
      </nav>
      {error !== undefined && <Trouble error={error} />}
      {!connection && error === undefined && <Loading />}
      {connection && tab === 'device' && <Device {...{ session, acts, state, connection }} />}
      {connection && tab !== 'device' && <Room {...{ session, id, tab, suggested }} />}
    </main>
  )
}

/** The tabs that need the instance's own token. */
function Room({ session, id, tab, suggested }: Props) {
  const client = session.instance(id)
  if (!client) return <Unlock session={session} id={id} />
  if (tab === 'chats') return <Conversation client={client} />
  if (tab === 'groups') return <Groups client={client} />
  if (tab === 'deliveries') return <Deliveries client={client} />
  return <WebhookPage client={client} token={session.token(id) ?? ''} suggested={suggested} />
}

const SOON_MS = 1000
const LATER_MS = 5000

/** Loads often while the instance is linking or connecting, because the QR code and the state change. */
function useInstance(status: () => Promise<Connection>, id: string): Loaded<Connection> {
  const [every, setEvery] = useState(SOON_MS)
  const state = useLoad(status, [id], every)
  const moving = !state.value || state.value.instance.status === 'connecting'
  useEffect(() => setEvery(moving ? SOON_MS : LATER_MS), [moving])
  return state
}
