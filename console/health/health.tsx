// The health of the gateway in words.

import type { AdminClient } from '../../client/admin.ts'
import { texts } from '../texts.ts'
import { useLoad } from '../ui/load.ts'
import { Badge } from '../ui/parts.tsx'
import { inWords } from '../ui/trouble.tsx'

const words = texts.health
const EVERY_MS = 5000

interface Line {
  name: string
  kind: 'good' | 'warn' | 'bad'
  says: string
}

async function look(admin: AdminClient | undefined): Promise<Line[]> {
  const [live, ready] = await Promise.all(['/health/live', '/health/ready'].map(answers))
  const lines: Line[] = [
    { name: words.server, kind: live ? 'good' : 'bad', says: live ? words.serverUp : words.serverDown },
    {
      name: words.database,
      kind: ready ? 'good' : 'bad',
      says: ready ? words.databaseUp : words.databaseDown,
    },
  ]
  if (admin && ready) lines.push(...(await admins(admin)))
  return lines
}

const answers = (path: string): Promise<boolean> =>
  fetch(path).then(
    ({ ok }) => ok,
    () => false,
  )

async function admins(admin: AdminClient): Promise<Line[]> {
  try {
    const [{ hosts }, instances, { capabilities }] = await Promise.all([
      admin.hosts.list(),
      admin.instances.list(),
      admin.capabilities(),
    ])
    const alive = hosts.filter(({ live }) => live)
    const taking = alive.filter(({ draining, sessions, slots }) => !draining && sessions < slots)
    const lost = instances.filter(({ status }) => status === 'connecting').length
    const on = instances.filter(({ status }) => status === 'connected').length
    const off = Object.entries(capabilities).filter(([, has]) => !has)
    return [
      {
        name: words.hosts,
        kind: taking.length ? 'good' : alive.length ? 'warn' : 'bad',
        says: taking.length ? words.hostsUp(alive.length) : alive.length ? words.hostsFull : words.hostsDown,
      },
      {
        name: words.instances,
        kind: lost ? 'warn' : 'good',
        says: words.instancesSay(on, instances.length, lost),
      },
      {
        name: words.modules,
        kind: 'good',
        says: off.length ? words.modulesOff(off.map(([name]) => name).join(', ')) : words.modulesOn,
      },
    ]
  } catch (error) {
    return [{ name: words.hosts, kind: 'bad', says: inWords(error).says }]
  }
}

export function Health({ admin }: { admin: AdminClient | undefined }) {
  const { value } = useLoad(() => look(admin), [admin], EVERY_MS)
  const worst = value?.some(({ kind }) => kind === 'bad')
    ? 'bad'
    : value?.some(({ kind }) => kind === 'warn')
      ? 'warn'
      : 'good'
  return (
    <main class="page">
      <h1>{texts.nav.health}</h1>
      {value && (
        <p class={`note ${worst}`} role="status">
          {words.worst[worst]}
        </p>
      )}
      <ul class="list">
        {value?.map(({ name, kind, says }) => (
          <li class="health-line" key={name}>
            <Badge kind={kind}>{words.kinds[kind]}</Badge>
            <span class="strong">{name}</span>
            <span class="grow">{says}</span>
          </li>
        ))}
      </ul>
    </main>
  )
}
