// The address book of an instance's account: searched here, changed on all devices of the account.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useMemo, useState } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { Portrait } from '../conversation/portrait.tsx'
import { formatId } from '../format-id.ts'
import { formatNumber } from '../formats.ts'
import { toQueryHash, useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { type Column, Pager } from '../ui/data-table.tsx'
import { SearchField, Toolbar } from '../ui/filters.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'
import { CheckNumbersDialog } from './check-numbers-dialog.tsx'
import { ContactDialog } from './contact-dialog.tsx'
import { ContactDrawer } from './contact-drawer.tsx'

const words = texts.people.contacts
const PAGE_ROWS = 50

export interface Contact {
  jid: string
  contactName: string
}

export function ContactsPage({ client, connection }: AccountProps) {
  const { query, setQuery } = useRouteQuery()
  const { search = '', contact: open, add, from = '' } = query
  const loaded = useLoad(() => client.listContacts(), [client])
  const { value, reload } = loaded
  const [isChecking, setChecking] = useState(false)
  const found = useMemo(() => findContacts(value ?? [], search), [value, search])
  const first = Math.max(0, Number(from) || 0)
  const rows = found.slice(first, first + PAGE_ROWS)
  const path = ['instances', connection.instance.id, 'contacts']
  return (
    <ListPage
      filters={
        <ContactTools
          search={search}
          count={value && found.length}
          setQuery={setQuery}
          onCheck={() => setChecking(true)}
        />
      }
      loaded={loaded}
      skeletonRows={8}
      getRows={() => rows}
      label={texts.instance.tabs.contacts}
      columns={createColumns(client)}
      getKey={({ jid }) => jid}
      toHref={({ jid }) => toQueryHash(path, { ...query, contact: jid })}
      empty={<NoContacts isSearch={search !== ''} />}
      renderMore={() =>
        found.length > PAGE_ROWS && (
          <ContactPager first={first} total={found.length} onTurn={(start) => setQuery({ from: start })} />
        )
      }
    >
      {open && (
        <ContactDrawer
          {...{ client, jid: open, instance: connection.instance.id, onChange: reload }}
          name={value?.find(({ jid }) => jid === open)?.contactName ?? ''}
          onClose={() => setQuery({ contact: '' })}
        />
      )}
      {add && (
        <ContactDialog
          {...{ client, onChange: reload, onClose: () => setQuery({ add: '' }) }}
          number={add === 'new' ? '' : add}
        />
      )}
      {isChecking && <CheckNumbersDialog client={client} onClose={() => setChecking(false)} />}
    </ListPage>
  )
}

interface ToolsProps {
  search: string
  /** Undefined while they are loaded. */
  count: number | undefined
  setQuery: ReturnType<typeof useRouteQuery>['setQuery']
  onCheck: () => void
}

const ContactTools = ({ search, count, setQuery, onCheck }: ToolsProps) => (
  <>
    <p class="quiet">{words.description}</p>
    <Toolbar>
      <SearchField
        value={search}
        onInput={(text) => setQuery({ search: text, from: '' }, { replace: true })}
        placeholder={words.search}
      />
      {count !== undefined && <span class="quiet count">{formatNumber(count)}</span>}
      <span class="toolbar-end line">
        <Button onClick={onCheck}>{words.check}</Button>
        <Button class="main" onClick={() => setQuery({ add: 'new' })}>
          <Icon name="plus" size={16} />
          {words.add}
        </Button>
      </span>
    </Toolbar>
  </>
)

/** Without accents and case; a number in any spelling. */
function findContacts(contacts: Contact[], search: string): Contact[] {
  const wanted = fold(search.trim())
  const digits = wanted.replace(/[\s+()./-]/g, '')
  const isNumber = /^\d+$/.test(digits)
  if (!wanted) return contacts
  return contacts.filter(
    ({ jid, contactName }) => fold(contactName).includes(wanted) || (isNumber && jid.includes(digits)),
  )
}

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const createColumns = (client: InstanceClient): Column<Contact>[] => [
  {
    key: 'name',
    title: words.name,
    narrow: 'title',
    render: ({ jid, contactName }) => (
      <span class="line still">
        <Portrait client={client} jid={jid} name={contactName || formatId(jid)} />
        <span class="cut">{contactName || formatId(jid)}</span>
      </span>
    ),
  },
  { key: 'number', title: words.number, render: ({ jid }) => <span class="quiet">{formatId(jid)}</span> },
]

const NoContacts = ({ isSearch }: { isSearch: boolean }) => (
  <EmptyState
    icon="user"
    title={isSearch ? words.noMatch : words.none}
    hint={isSearch ? words.noMatchHint : words.noneHint}
  />
)

interface PagerProps {
  first: number
  total: number
  onTurn: (from: string) => void
}

const ContactPager = ({ first, total, onTurn }: PagerProps) => {
  const last = Math.min(total, first + PAGE_ROWS)
  return (
    <Pager
      from={first + 1}
      to={last}
      total={total}
      onPrevious={first > 0 ? () => onTurn(String(Math.max(0, first - PAGE_ROWS) || '')) : undefined}
      onNext={last < total ? () => onTurn(String(last)) : undefined}
    />
  )
}
