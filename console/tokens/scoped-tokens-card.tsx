// The card with the scoped tokens of an instance: what each may do, in which chats and until when; they are created and deleted here.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { ScopedToken } from '@msgnet/shared/contract/responses/scoped-token-responses.ts'
import type { TokenScope } from '@msgnet/shared/contract/scoped-token.ts'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { CreateTokenDialog } from './create-token-dialog.tsx'
import { DeleteTokenDialog } from './end-token-dialogs.tsx'
import { Expiry } from './expiry.tsx'
import { emptyGrant, GrantFields, toGrantRequest } from './grant-fields.tsx'

const words = texts.tokens
const { chats: chatWords } = texts.webhook
const SCOPES: readonly TokenScope[] = ['read', 'send', 'full']

interface Props {
  client: InstanceClient
}

export function ScopedTokensCard({ client }: Props) {
  const { value, error, reload } = useLoad(() => client.scopedTokens.list(), [client])
  const [isCreating, setCreating] = useState(false)
  const [ending, setEnding] = useState<ScopedToken>()
  const close = () => {
    setCreating(false)
    setEnding(undefined)
    void reload()
  }
  return (
    <section class="card stack">
      <h2>{words.scoped}</h2>
      <p class="small quiet">{words.scopedHint}</p>
      {error !== undefined && <ErrorNote error={error} />}
      <ul class="stack tight">
        {value?.tokens.map((token) => (
          <li class="line even still" key={token.id}>
            <TokenFacts token={token} />
            <Button
              class="danger small-button"
              label={words.deleteNamed(token.name)}
              onClick={() => setEnding(token)}
            >
              {words.delete}
            </Button>
          </li>
        ))}
      </ul>
      <Button onClick={() => setCreating(true)}>{words.create}</Button>
      {isCreating && <CreateDialog client={client} onClose={close} />}
      {ending && (
        <DeleteTokenDialog
          name={ending.name}
          onDelete={() => client.scopedTokens.delete(ending.id)}
          onClose={close}
        />
      )}
    </section>
  )
}

const TokenFacts = ({ token: { name, scope, chats, expiresAt } }: { token: ScopedToken }) => (
  <div class="grow">
    <p class="strong cut">{name}</p>
    <p class="small quiet">
      {texts.authorize.scopes[scope]} · {chats.map(nameChat).join(', ') || chatWords.all} · {words.expires}:{' '}
      <Expiry expiresAt={expiresAt} />
    </p>
  </div>
)

const nameChat = (chat: string): string =>
  chat === 'groups' || chat === 'people' ? chatWords[chat] : formatId(chat)

function CreateDialog({ client, onClose }: Props & { onClose: () => void }) {
  const [grant, setGrant] = useState(emptyGrant)
  return (
    <CreateTokenDialog
      createToken={(name) => client.scopedTokens.create({ name, ...toGrantRequest(grant) })}
      onClose={onClose}
    >
      <GrantFields scopes={SCOPES} grant={grant} onChange={setGrant} />
    </CreateTokenDialog>
  )
}
