// The admin tokens: what each may do and until when, and how one is created, renewed and deleted.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { AdminToken } from '@msgnet/shared/contract/responses/token-responses.ts'
import { formatNumber } from '../formats.ts'
import { useRouteQuery } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { TimeAgo } from '../ui/elements.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { Banner, EmptyState } from '../ui/notices.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useLoad, useNow } from '../ui/use-load.ts'
import { CreateAdminToken } from './create-admin-token.tsx'
import { DeleteTokenDialog, RenewTokenDialog } from './end-token-dialogs.tsx'
import { Expiry } from './expiry.tsx'

const words = texts.tokens

interface Props {
  admin: AdminClient
  canAdminister: boolean
}

export const TokensPage = ({ admin, canAdminister }: Props) =>
  canAdminister ? (
    <TokenList admin={admin} />
  ) : (
    <main class="page">
      <PageHeader title={texts.nav.tokens} description={words.description} />
      <Banner kind="info" title={words.notAllowed}>
        {words.notAllowedHint}
      </Banner>
    </main>
  )

/** The open dialog stands in the address, by what it does and the token's id. */
function TokenList({ admin }: { admin: AdminClient }) {
  const loaded = useLoad(() => admin.tokens.list(), [admin])
  const { query, setQuery } = useRouteQuery()
  const findToken = (id: string | undefined) => loaded.value?.tokens.find((token) => token.id === id)
  const [renewing, deleting] = [findToken(query.renew), findToken(query.delete)]
  // Only now: if the console's own token has ended, the reload signs out, and a new value must have been seen before.
  const closeDialog = () => {
    setQuery({ create: '', renew: '', delete: '' })
    void loaded.reload()
  }
  const actions = (
    <Button class="main" onClick={() => setQuery({ create: 'new' })}>
      <Icon name="plus" size={16} />
      {words.create}
    </Button>
  )
  const count = loaded.value && formatNumber(loaded.value.tokens.length)
  return (
    <ListPage
      head={{ title: texts.nav.tokens, count, description: words.description, actions }}
      loaded={loaded}
      skeletonRows={4}
      getRows={({ tokens }) => tokens}
      label={texts.nav.tokens}
      columns={buildColumns((dialog, { id }) => setQuery({ [dialog]: id }))}
      getKey={({ id }) => id}
      empty={<EmptyState icon="key" title={words.none} hint={words.noneHint} actions={actions} />}
    >
      {query.create && <CreateAdminToken admin={admin} onClose={closeDialog} />}
      {renewing && <RenewTokenDialog {...{ admin }} token={renewing} onClose={closeDialog} />}
      {deleting && (
        <DeleteTokenDialog
          name={deleting.name}
          onDelete={() => admin.tokens.delete(deleting.id)}
          onClose={closeDialog}
        />
      )}
    </ListPage>
  )
}

const buildColumns = (
  onOpen: (dialog: 'renew' | 'delete', token: AdminToken) => void,
): Column<AdminToken>[] => [
  {
    key: 'name',
    title: words.name,
    narrow: 'title',
    render: ({ name }) => <span class="strong">{name}</span>,
  },
  { key: 'scope', title: words.scope, render: ({ scope }) => words.scopes[scope] },
  { key: 'created', title: words.created, render: ({ createdAt }) => <TimeAgo time={createdAt} /> },
  { key: 'renewed', title: words.renewed, render: (token) => <Renewal token={token} /> },
  { key: 'expires', title: words.expires, render: ({ expiresAt }) => <Expiry expiresAt={expiresAt} /> },
  {
    key: 'actions',
    title: words.actions,
    align: 'end',
    narrow: 'end',
    render: (token) => (
      <span class="row-actions">
        <Button
          class="small-button"
          label={words.renewNamed(token.name)}
          onClick={() => onOpen('renew', token)}
        >
          {words.renew}
        </Button>
        <Button
          class="danger small-button"
          label={words.deleteNamed(token.name)}
          onClick={() => onOpen('delete', token)}
        >
          {words.delete}
        </Button>
      </span>
    ),
  },
]

function Renewal({ token: { renewedAt, previousUntil } }: { token: AdminToken }) {
  const now = useNow(10_000)
  const isOverlapping = previousUntil !== '' && Date.parse(previousUntil) > now
  return (
    <span class="two">
      <TimeAgo time={renewedAt} />
      {isOverlapping && (
        <span class="small quiet">
          {words.oldValueEnds} <TimeAgo time={previousUntil} />
        </span>
      )}
    </span>
  )
}
