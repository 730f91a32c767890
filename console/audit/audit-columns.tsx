// The columns of the audit log: an entry's time, action, actor, object, outcome and request.

import type { AuditEntry } from '@msgnet/shared/contract/responses/audit-responses.ts'
import { formatDateTime } from '../formats.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import type { Column } from '../ui/data-table.tsx'
import { Badge } from '../ui/elements.tsx'

const words = texts.audit
const ACTING = 'acting.'

export type Action = keyof typeof words.actions

export const auditColumns: readonly Column<AuditEntry>[] = [
  {
    key: 'action',
    title: words.action,
    narrow: 'title',
    render: ({ action }) => (
      <span class="two">
        <span class="strong">{describeAction(action)}</span>
        <code class="small quiet">{action}</code>
      </span>
    ),
  },
  {
    key: 'time',
    title: words.time,
    render: ({ at }) => <time dateTime={at}>{formatDateTime(at)}</time>,
  },
  { key: 'actor', title: words.actor, render: (entry) => <Actor entry={entry} /> },
  { key: 'object', title: words.object, render: (entry) => <Target entry={entry} /> },
  {
    key: 'outcome',
    title: words.outcome,
    narrow: 'end',
    render: ({ outcome }) =>
      outcome === 'done' ? <Badge kind="good">{words.done}</Badge> : <Badge kind="bad">{outcome}</Badge>,
  },
  {
    key: 'request',
    title: words.request,
    render: ({ address, requestId }) => (
      <span class="two">
        <span>{address}</span>
        <code class="small quiet cut" title={requestId}>
          {requestId}
        </code>
      </span>
    ),
  },
]

function describeAction(action: string): string {
  if (action.startsWith(ACTING)) return words.acting(action.slice(ACTING.length))
  return (words.actions as Record<string, string>)[action] ?? action
}

const Actor = ({ entry: { actor, actorName, actorId, as } }: { entry: AuditEntry }) => (
  <span class="two">
    <span title={actorId}>{actorName || words.actors[actor]}</span>
    {as && (
      <span class="small quiet">
        {words.actingFor} <InstanceLink id={as} />
      </span>
    )}
  </span>
)

function Target({ entry: { action, target, outcome } }: { entry: AuditEntry }) {
  if (!target) return <span class="quiet">–</span>
  const kind = action.startsWith('host.') ? 'host' : action.startsWith('token.') ? 'token' : 'instance'
  const isGone = action === 'instance.delete' && outcome === 'done'
  return (
    <span>
      {words[kind]} {kind === 'instance' && !isGone ? <InstanceLink id={target} /> : <ShortId id={target} />}
    </span>
  )
}

const InstanceLink = ({ id }: { id: string }) => (
  <a href={toHash('instances', id)}>
    <ShortId id={id} />
  </a>
)

/** Its beginning is enough to tell ids apart; the rest is in the tooltip. */
const ShortId = ({ id }: { id: string }) => <code title={id}>{id.slice(0, 8)}</code>
