// All instances with their live state, with a search.

import { useMemo, useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin.ts'
import type { Instance } from '../../shared/contract/answers/instance.ts'
import { at } from '../route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Face, Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { VirtualList } from '../ui/virtual.tsx'
import { CreateInstance } from './create.tsx'
import { fits } from './search.ts'
import { State } from './state.tsx'

const words = texts.instances
const EVERY_MS = 3000

export function InstanceList({ admin, hold }: { admin: AdminClient; hold(id: string, token: string): void }) {
  const { value, error, reload } = useLoad(() => admin.instances.list(), [admin], EVERY_MS)
  const [wanted, setWanted] = useState('')
  const [state, setState] = useState('')
  const [creating, setCreating] = useState(false)
  const shown = useMemo(() => fitting(value ?? [], wanted, state), [value, wanted, state])
  return (
    <main class="page">
      <div class="line even">
        <h1>
          {words.title} {value && <span class="quiet count">{words.found(shown.length, value.length)}</span>}
        </h1>
        <Button class="main" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </div>
      <div class="line">
        <input
          class="search"
          type="search"
          placeholder={words.filter}
          aria-label={texts.search}
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <select
          class="state-filter"
          aria-label={words.state}
          value={state}
          onChange={(event) => setState(event.currentTarget.value)}
        >
          <option value="">{words.every}</option>
          {(['connected', 'connecting', 'disconnected'] as const).map((each) => (
            <option key={each} value={each}>
              {texts.states[each]}
            </option>
          ))}
        </select>
      </div>
      {error !== undefined && <Trouble error={error} />}
      {!value && error === undefined && <Loading />}
      {value?.length === 0 && <Empty create={() => setCreating(true)} />}
      {value !== undefined && value.length > 0 && (
        <div class="list">
          {shown.length === 0 && <p class="empty quiet">{words.noMatch}</p>}
          <VirtualList items={shown} rowHeight={64} label={words.title} keyOf={({ id }) => id} row={Row} />
        </div>
      )}
      {creating && (
        <CreateInstance
          admin={admin}
          onMade={({ id, token }) => {
            hold(id, token)
            void reload()
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </main>
  )
}

const fitting = (all: readonly Instance[], wanted: string, state: string): Instance[] =>
  all.filter((instance) => (!state || instance.status === state) && fits(instance, wanted))

const Row = (instance: Instance) => (
  <a class="row" href={at('instances', instance.id)}>
    <Face name={instance.name} />
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
    <State status={instance.status} />
  </a>
)

const Empty = ({ create }: { create: () => void }) => (
  <div class="card empty">
    <h2>{words.none}</h2>
    <p class="quiet">{words.noneSays}</p>
    <Button class="main" onClick={create}>
      {words.create}
    </Button>
  </div>
)
