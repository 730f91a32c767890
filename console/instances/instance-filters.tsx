// The search and the filters above the list of instances. Each chip says how many instances it would show.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RouteQuery, useRouteQuery } from '../hash-route.ts'
import { webhookKinds } from '../overview/webhook-kinds.ts'
import { texts } from '../texts.ts'
import { FilterChips, SearchField, Toolbar } from '../ui/filters.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.instances
const RELOAD_MS = 5000
const TYPING_MS = 250

export const FILTERS = ['search', 'state', 'reason', 'webhook', 'events', 'host'] as const

export type SetQuery = ReturnType<typeof useRouteQuery>['setQuery']

const eventOutcomes = ['pending', 'dead'] as const
const states = ['connected', 'connecting', 'disconnected'] as const
const stateKinds = { connected: 'good', connecting: 'warn', disconnected: '' } as const
const listKeys = <Key extends string>(table: Record<Key, unknown>): Key[] => Object.keys(table) as Key[]
const splitValues = (value: string | undefined): string[] => (value ?? '').split(',').filter(Boolean)

interface Props {
  admin: AdminClient
  query: RouteQuery
  setQuery: SetQuery
}

export function InstanceFilters({ admin, query, setQuery }: Props) {
  const { value: counts } = useLoad(() => admin.overview(), [admin], RELOAD_MS)
  const chosenReasons = splitValues(query.reason)
  const reasons = listKeys(texts.overview.reasons).filter(
    (reason) => counts?.instances.reasons[reason] || chosenReasons.includes(reason),
  )
  const setFilter = (name: string) => (values: string[]) =>
    setQuery({ [name]: values.join(','), after: '', from: '' })
  return (
    <>
      <Toolbar>
        <InstanceSearch query={query} setQuery={setQuery} />
        <FilterChips
          label={words.state}
          options={states.map((value) => ({
            value,
            label: texts.states[value],
            kind: stateKinds[value],
            count: counts?.instances.states[value],
          }))}
          value={splitValues(query.state)}
          onChange={setFilter('state')}
        />
        {query.host && (
          <button type="button" class="chip" aria-pressed={true} onClick={() => setFilter('host')([])}>
            {words.host}: {query.host.slice(0, 8)}
            <Icon name="close" size={13} />
          </button>
        )}
      </Toolbar>
      <Toolbar>
        <ChipRow
          name={words.webhook}
          options={listKeys(webhookKinds)
            .filter((state) => counts?.webhooks[state] || splitValues(query.webhook).includes(state))
            .map((value) => ({
              value,
              label: texts.overview.webhookStates[value],
              kind: webhookKinds[value],
              count: counts?.webhooks[value],
            }))}
          value={splitValues(query.webhook)}
          onChange={setFilter('webhook')}
        />
        <OutcomeChips query={query} onChange={setFilter('events')} />
        <ChipRow
          name={words.reason}
          options={reasons.map((value) => ({
            value,
            label: texts.overview.reasons[value],
            count: counts?.instances.reasons[value] ?? 0,
          }))}
          value={chosenReasons}
          onChange={setFilter('reason')}
        />
      </Toolbar>
    </>
  )
}

interface OutcomeProps {
  query: RouteQuery
  onChange: (values: string[]) => void
}

const OutcomeChips = ({ query, onChange }: OutcomeProps) => (
  <FilterChips
    label={texts.overview.events}
    options={eventOutcomes.map((value) => ({ value, label: words.withEvents[value] }))}
    value={splitValues(query.events)}
    onChange={onChange}
  />
)

interface ChipRowProps {
  name: string
  options: { value: string; label: string; kind?: string; count?: number | undefined }[]
  value: string[]
  onChange: (values: string[]) => void
}

const ChipRow = ({ name, options, value, onChange }: ChipRowProps) =>
  options.length === 0 ? null : (
    <div class="chip-row">
      <span class="small quiet" aria-hidden="true">
        {name}
      </span>
      <FilterChips label={name} options={options} value={value} onChange={onChange} />
    </div>
  )

/** What is typed is sought when the typing pauses, and adds no steps for the back button. */
function InstanceSearch({ query, setQuery }: Omit<Props, 'admin'>) {
  const inAddress = query.search ?? ''
  const [typed, setTyped] = useState(inAddress)
  const sent = useRef(inAddress)
  // Another address, by "back" for example, brings its own search.
  useEffect(() => {
    if (inAddress === sent.current) return
    sent.current = inAddress
    setTyped(inAddress)
  }, [inAddress])
  useEffect(() => {
    if (typed === sent.current) return
    const timer = setTimeout(() => {
      sent.current = typed
      setQuery({ search: typed, after: '', from: '' }, { replace: true })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return <SearchField value={typed} onInput={setTyped} placeholder={words.filter} />
}
