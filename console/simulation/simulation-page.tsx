// The simulation: an instance of the gateway between a simulated phone and a receiver, and a network that can be broken.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useState } from 'preact/hooks'
import type { Session } from '../console-session.ts'
import { matchesSearch } from '../instances/search-instances.ts'
import { StateBadge } from '../instances/state-badge.tsx'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Loading } from '../ui/elements.tsx'
import { useLoad } from '../ui/use-load.ts'
import { FaultSwitches } from './fault-switches.tsx'
import { GatewayPanel, type LogEntry } from './gateway-panel.tsx'
import { PhonePanel } from './phone-panel.tsx'
import { ReceiverCard } from './receiver-card.tsx'
import type { SimulationClient } from './simulation-client.ts'

const words = texts.simulation
/** How many instances are shown; the others are found by search. */
const MAX_SHOWN = 200

export interface SimulationProps {
  admin: AdminClient
  session: Session
  simulation: SimulationClient
}

export function SimulationPage({ admin, session, simulation }: SimulationProps) {
  const list = useLoad(() => admin.instances.list(), [admin], 5000)
  const [chosen, setChosen] = useState('')
  const [query, setQuery] = useState('')
  const all = list.value ?? []
  const id = chosen || (all[0]?.id ?? '')
  const offered = all.filter((one) => one.id === id || matchesSearch(one, query)).slice(0, MAX_SHOWN)
  const createInstance = async () => {
    const { instance } = await admin.instances.create({ name: words.name })
    await list.reload()
    setChosen(instance.id)
  }
  const client = id ? session.getClient(id) : undefined
  return (
    <main class="page">
      <div class="line even">
        <h1>{texts.nav.simulation}</h1>
        <div class="line">
          {all.length > MAX_SHOWN && (
            <input
              class="search"
              type="search"
              placeholder={texts.instances.filter}
              aria-label={texts.search}
              value={query}
              onInput={(event) => setQuery(event.currentTarget.value)}
            />
          )}
          <select
            class="state-filter"
            aria-label={words.instance}
            value={id}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            <option value="">{words.choose}</option>
            {offered.map((instance) => (
              <option key={instance.id} value={instance.id}>
                {instance.name}
              </option>
            ))}
          </select>
          <ActionButton class="main" onAction={createInstance}>
            {words.make}
          </ActionButton>
        </div>
      </div>
      <p class="quiet">{words.description}</p>
      {client && <InstanceBench key={id} client={client} simulation={simulation} />}
    </main>
  )
}

function InstanceBench({ client, simulation }: { client: InstanceClient; simulation: SimulationClient }) {
  const state = useLoad(() => client.status(), [client], 1000)
  const [entries, setEntries] = useState<LogEntry[]>([])
  const connection = state.value
  if (!connection) return <Loading />
  const { instance } = connection
  const contact = toContactNumber(instance.id)
  const addEntry = (entry: LogEntry) => setEntries((before) => [entry, ...before].slice(0, 40))
  return (
    <>
      <div class="line">
        <span class="strong">{instance.name}</span>
        <StateBadge status={instance.status} pairing={connection.pairing !== undefined} />
        {instance.owner && <code>+{instance.owner}</code>}
      </div>
      <div class="bench">
        <PhonePanel {...{ client, simulation, connection, contact, addEntry }} reload={state.reload} />
        <GatewayPanel {...{ client, contact, addEntry, entries }} linked={connection.loggedIn} />
        <div class="stack">
          <FaultSwitches
            simulation={simulation}
            number={instance.owner}
            contact={contact}
            addEntry={addEntry}
          />
          <ReceiverCard client={client} simulation={simulation} />
        </div>
      </div>
    </>
  )
}

/** Each instance has its own two numbers of the simulated network. */
function toContactNumber(id: string): string {
  const digits = [...id.replaceAll('-', '')].map((letter) => Number.parseInt(letter, 16) % 10).join('')
  return `55118${digits.slice(0, 8)}`
}
