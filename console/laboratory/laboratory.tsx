// The laboratory: an instance of the gateway between a simulated phone and a receiver, and a network that can be broken.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin.ts'
import type { InstanceClient } from '../../client/instance.ts'
import { fits } from '../instances/search.ts'
import { State } from '../instances/state.tsx'
import { Unlock } from '../instances/token-card.tsx'
import type { Session } from '../session.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Loading } from '../ui/parts.tsx'
import { Answers, type LogEntry } from './answers.tsx'
import { Faults } from './faults.tsx'
import type { Lab } from './lab.ts'
import { Phone } from './phone.tsx'
import { ReceiverCard } from './receiver.tsx'

const words = texts.laboratory
/** How many instances are shown; the others are found by search. */
const SHOWN = 200

interface Props {
  admin: AdminClient
  session: Session
  lab: Lab
}

export function Laboratory({ admin, session, lab }: Props) {
  const list = useLoad(() => admin.instances.list(), [admin], 5000)
  const [chosen, setChosen] = useState('')
  const [wanted, setWanted] = useState('')
  const held = list.value?.find(({ id }) => session.token(id))?.id ?? ''
  const id = chosen || held
  const all = list.value ?? []
  const offered = all.filter((one) => one.id === id || fits(one, wanted)).slice(0, SHOWN)
  const make = async () => {
    const { instance } = await admin.instances.create({ name: words.name })
    session.hold(instance.id, instance.token)
    await list.reload()
    setChosen(instance.id)
  }
  const client = id ? session.instance(id) : undefined
  return (
    <main class="page">
      <div class="line even">
        <h1>{texts.nav.laboratory}</h1>
        <div class="line">
          {all.length > SHOWN && (
            <input
              class="search"
              type="search"
              placeholder={texts.instances.filter}
              aria-label={texts.search}
              value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)}
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
          <Act class="main" act={make}>
            {words.make}
          </Act>
        </div>
      </div>
      <p class="quiet">{words.says}</p>
      {id && !client && <Unlock session={session} id={id} />}
      {client && <Bench key={id} client={client} lab={lab} />}
    </main>
  )
}

function Bench({ client, lab }: { client: InstanceClient; lab: Lab }) {
  const state = useLoad(() => client.status(), [client], 1000)
  const [entries, setEntries] = useState<LogEntry[]>([])
  const connection = state.value
  if (!connection) return <Loading />
  const { instance } = connection
  const contact = contactOf(instance.id)
  const note = (entry: LogEntry) => setEntries((before) => [entry, ...before].slice(0, 40))
  return (
    <>
      <div class="line">
        <span class="strong">{instance.name}</span>
        <State status={instance.status} pairing={connection.pairing !== undefined} />
        {instance.owner && <code>+{instance.owner}</code>}
      </div>
      <div class="bench">
        <Phone {...{ client, lab, connection, contact, note }} reload={state.reload} />
        <Answers {...{ client, contact, note, entries }} linked={connection.loggedIn} />
        <div class="stack">
          <Faults lab={lab} number={instance.owner} contact={contact} note={note} />
          <ReceiverCard client={client} lab={lab} />
        </div>
      </div>
    </>
  )
}

/** Each instance has its own two numbers of the simulated network. */
function contactOf(id: string): string {
  const digits = [...id.replaceAll('-', '')].map((letter) => Number.parseInt(letter, 16) % 10).join('')
  return `55118${digits.slice(0, 8)}`
}
