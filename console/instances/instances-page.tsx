// All instances with their live state, with a search.

import { useMemo, useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin-client.ts'
import type { Instance } from '../../shared/contract/responses/instance-responses.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Initials, Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import { CreateInstanceDialog } from './create-instance-dialog.tsx'
import { matchesSearch } from './search-instances.ts'
import { StateBadge } from './state-badge.tsx'

const words = texts.instances
const RELOAD_MS = 3000

export function InstancesPage({ admin }: { admin: AdminClient }) {
  const { value, error, reload } = useLoad(() => admin.instances.list(), [admin], RELOAD_MS)
  const [query, setQuery] = useState('')
  const [state, setState] = useState('')
  const [creating, setCreating] = useState(false)
  const matching = useMemo(() => filterInstances(value ?? [], query, state), [value, query, state])
  return (
    <main class="page">
      <div class="line even">
        <h1>
          {words.title}{' '}
          {value && <span class="quiet count">{words.found(matching.length, value.length)}</span>}
        </h1>
        <Button class="main" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </div>
      <InstanceFilters query={query} onQuery={setQuery} state={state} onState={setState} />
      {error !== undefined && <ErrorNote error={error} />}
      {!value && error === undefined && <Loading />}
      {value?.length === 0 && <NoInstances onCreate={() => setCreating(true)} />}
      {value !== undefined && value.length > 0 && (
        <div class="list">
          {matching.length === 0 && <p class="empty quiet">{words.noMatch}</p>}
          <VirtualList
            items={matching}
            rowHeight={64}
            label={words.title}
            getKey={({ id }) => id}
            renderRow={InstanceRow}
          />
        </div>
      )}
      {creating && (
        <CreateInstanceDialog
          admin={admin}
          onCreated={() => void reload()}
          onClose={() => setCreating(false)}
        />
      )}
    </main>
  )
}

interface FilterProps {
  query: string
  onQuery: (query: string) => void
  state: string
  onState: (state: string) => void
}

const InstanceFilters = ({ query, onQuery, state, onState }: FilterProps) => (
  <div class="line">
    <input
      class="search"
      type="search"
      placeholder={words.filter}
      aria-label={texts.search}
      value={query}
      onInput={(event) => onQuery(event.currentTarget.value)}
    />
    <select
      class="state-filter"
      aria-label={words.state}
      value={state}
      onChange={(event) => onState(event.currentTarget.value)}
    >
      <option value="">{words.anyState}</option>
      {(['connected', 'connecting', 'disconnected'] as const).map((each) => (
        <option key={each} value={each}>
          {texts.states[each]}
        </option>
      ))}
    </select>
  </div>
)

const filterInstances = (all: readonly Instance[], query: string, state: string): Instance[] =>
  all.filter((instance) => (!state || instance.status === state) && matchesSearch(instance, query))

const InstanceRow = (instance: Instance) => (
  <a class="row" href={toHash('instances', instance.id)}>
    <Initials name={instance.name} />
    <span class="grow">
      <span class="strong cut" style={{ display: 'block' }}>
        {instance.name}
      </span>
      <span class="small quiet cut" style={{ display: 'block' }}>
        {instance.owner ? `+${instance.owner}` : words.unlinked}
        {instance.profileName && ` · ${instance.profileName}`}
        {instance.companyId && ` · ${instance.companyId}`}
      </span>
    </span>
    {instance.kind === 'calls' && <span class="small quiet wide-only">{words.kinds.calls}</span>}
    <StateBadge status={instance.status} />
  </a>
)

const NoInstances = ({ onCreate }: { onCreate: () => void }) => (
  <div class="card empty">
    <h2>{words.none}</h2>
    <p class="quiet">{words.noneHint}</p>
    <Button class="main" onClick={onCreate}>
      {words.create}
    </Button>
  </div>
)
