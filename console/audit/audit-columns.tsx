// The columns of the audit log: an entry's time, action, actor, object, outcome and request.

import { formatDateTime } from '../formats.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import type { Column } from '../ui/data-table.tsx'
import { Badge } from '../ui/elements.tsx'
import { getObjectKind, type NamedEntry } from './name-objects.ts'

const words = texts.audit
const ACTING = 'acting.'

export type Action = keyof typeof words.actions

export const auditColumns: readonly Column<NamedEntry>[] = [
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
  if (action.startsWith(ACTING)) return describeUse(action.slice(ACTING.length))
  return (words.actions as Record<string, string>)[action] ?? action
}

/** What an admin did for an instance. */
const describeUse = (operation: string): string =>
  (words.uses as Record<string, string>)[operation] ?? words.acting(operation)

const Actor = ({ entry: { actor, actorName, actorId, as, asName } }: { entry: NamedEntry }) => (
  <span class="two">
    <span title={actorId}>{actorName || words.actors[actor]}</span>
    {as && (
      <span class="small quiet">
        {words.actingFor} <InstanceLink id={as} name={asName} />
      </span>
    )}
  </span>
)

function Target({ entry }: { entry: NamedEntry }) {
  const { action, target, targetName, outcome } = entry
  if (!target) return <span class="quiet">–</span>
  const kind = getObjectKind(entry)
  const isGone = action === 'instance.delete' && outcome === 'done'
  return (
    <span>
      {words[kind]}{' '}
      {kind === 'instance' && !isGone ? (
        <InstanceLink id={target} name={targetName} />
      ) : (
        <ObjectName id={target} name={targetName} />
      )}
    </span>
  )
}

interface ObjectProps {
  id: string
  name: string
}

const InstanceLink = (props: ObjectProps) => (
  <a href={toHash('instances', props.id)}>
    <ObjectName {...props} />
  </a>
)

/** Without a name the beginning of its id is enough to tell it from others; the rest is in the tooltip. */
const ObjectName = ({ id, name }: ObjectProps) =>
  name ? <span title={id}>{name}</span> : <code title={id}>{id.slice(0, 8)}</code>
