// What a person allows a client: for which instance, what, in which chats, how long.

import type { AuthorizationDetails } from '@msgnet/shared/contract/authorization-requests.ts'
import type { TokenScope } from '@msgnet/shared/contract/scoped-token.ts'
import { useState } from 'preact/hooks'
import type { Session } from '../console-session.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Field, RadioLine } from '../ui/elements.tsx'
import { ScopeChoice } from '../ui/scope-choice.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { AuthorizeClient } from './authorize-client.ts'

const words = texts.authorize
const DAY_SECONDS = 86_400
const LIFETIMES = ['1', '30', '90', '365'] as const
type Lifetime = (typeof LIFETIMES)[number]
/** More are found by a part of their name. */
const MAX_SHOWN = 8

interface Props {
  client: AuthorizeClient
  session: Session
  details: AuthorizationDetails
}

export function ConsentForm({ client, session, details: { scopes, refusal } }: Props) {
  const [instance, setInstance] = useState('')
  // Clients ask for what they can use; full access is never offered first.
  const [scope, setScope] = useState<TokenScope>(
    scopes.includes('send') && scopes.length < 3 ? 'send' : 'read',
  )
  const [chats, setChats] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('30')
  const allow = async () => {
    const consent = {
      ...(session.admin && { instance }),
      scope,
      chats: chats
        .split(',')
        .map((chat) => chat.trim())
        .filter(Boolean),
      expiresIn: Number(lifetime) * DAY_SECONDS,
    }
    location.assign((await client.allow(consent)).returnTo)
  }
  return (
    <>
      {session.admin && <InstanceChoice {...{ session, instance }} onChange={setInstance} />}
      <ScopeChoice {...{ words, scopes, scope }} onChange={setScope} />
      <Field label={words.chats} hint={words.chatsHint} value={chats} onInput={setChats} />
      <div class="field">
        <span class="strong">{words.lifetime}</span>
        <RadioLine
          legend={words.lifetime}
          name="lifetime"
          options={LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] }))}
          value={lifetime}
          onChange={setLifetime}
        />
      </div>
      <p class="small quiet">{words.endHint}</p>
      <div class="line">
        <ActionButton class="main" onAction={allow} disabled={session.admin !== undefined && !instance}>
          {words.allow}
        </ActionButton>
        <Button onClick={() => location.assign(refusal)}>{words.refuse}</Button>
      </div>
    </>
  )
}

interface InstanceProps {
  session: Session
  instance: string
  onChange: (id: string) => void
}

function InstanceChoice({ session, instance, onChange }: InstanceProps) {
  const [search, setSearch] = useState('')
  const { value } = useLoad(
    async () => session.admin?.instances.search({ ...(search && { search }), limit: MAX_SHOWN }),
    [session.admin, search],
  )
  return (
    <fieldset>
      <legend>{words.instance}</legend>
      <Field label={words.search} value={search} onInput={setSearch} />
      {value?.instances.map(({ id, name }) => (
        <label class="check" key={id}>
          <input type="radio" name="instance" checked={instance === id} onChange={() => onChange(id)} />
          <span>{name || id}</span>
        </label>
      ))}
    </fieldset>
  )
}
