// The page with the health of the gateway, in sentences.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Overview } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/elements.tsx'
import { describeError } from '../ui/error-note.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.health
const RELOAD_MS = 5000

interface HealthLine {
  name: string
  kind: 'good' | 'warn' | 'bad'
  description: string
}

async function checkHealth(admin: AdminClient | undefined): Promise<HealthLine[]> {
  const [live, ready] = await Promise.all(['/health/live', '/health/ready'].map(respondsOk))
  const lines: HealthLine[] = [
    {
      name: words.server,
      kind: live ? 'good' : 'bad',
      description: live ? words.serverUp : words.serverDown,
    },
    {
      name: words.database,
      kind: ready ? 'good' : 'bad',
      description: ready ? words.databaseUp : words.databaseDown,
    },
  ]
  if (admin && ready) lines.push(...(await checkHosts(admin)))
  return lines
}

const respondsOk = (path: string): Promise<boolean> =>
  fetch(path).then(
    ({ ok }) => ok,
    () => false,
  )

async function checkHosts(admin: AdminClient): Promise<HealthLine[]> {
  try {
    const [{ hosts }, instances, { capabilities }, { webhooks }] = await Promise.all([
      admin.hosts.list(),
      admin.instances.list(),
      admin.capabilities(),
      admin.overview(),
    ])
    const live = hosts.filter(({ live }) => live)
    const available = live.filter(({ draining, sessions, slots }) => !draining && sessions < slots)
    const connecting = instances.filter(({ status }) => status === 'connecting').length
    const connected = instances.filter(({ status }) => status === 'connected').length
    const off = Object.entries(capabilities).filter(([, has]) => !has)
    return [
      {
        name: words.hosts,
        kind: available.length ? 'good' : live.length ? 'warn' : 'bad',
        description: available.length
          ? words.hostsUp(live.length)
          : live.length
            ? words.hostsFull
            : words.hostsDown,
      },
      {
        name: words.instances,
        kind: connecting ? 'warn' : 'good',
        description: words.instancesSummary(connected, instances.length, connecting),
      },
      describeWebhooks(webhooks),
      {
        name: words.modules,
        kind: 'good',
        description: off.length ? words.modulesOff(off.map(([name]) => name).join(', ')) : words.modulesOn,
      },
    ]
  } catch (error) {
    return [{ name: words.hosts, kind: 'bad', description: describeError(error).description }]
  }
}

function describeWebhooks({ resting, failing, waiting }: Overview['webhooks']): HealthLine {
  const kind = resting + failing > 0 ? 'bad' : waiting > 0 ? 'warn' : 'good'
  return {
    name: words.delivery,
    kind,
    description: kind === 'good' ? words.deliveryUp : words.deliveryDown(resting, failing, waiting),
  }
}

export function HealthPage({ admin }: { admin: AdminClient | undefined }) {
  const { value } = useLoad(() => checkHealth(admin), [admin], RELOAD_MS)
  const worst = value?.some(({ kind }) => kind === 'bad')
    ? 'bad'
    : value?.some(({ kind }) => kind === 'warn')
      ? 'warn'
      : 'good'
  return (
    <main class="page">
      <PageHeader title={texts.nav.health} />
      {value && (
        <p class={`note ${worst}`} role="status">
          {words.worst[worst]}
        </p>
      )}
      <ul class="list">
        {value?.map(({ name, kind, description }) => (
          <li class="health-line" key={name}>
            <Badge kind={kind}>{words.kinds[kind]}</Badge>
            <span class="strong">{name}</span>
            <span class="grow">{description}</span>
          </li>
        ))}
      </ul>
    </main>
  )
}
