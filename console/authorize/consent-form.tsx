// What a person allows a client: for which instance, what, in which chats, how long.

import type { AuthorizationDetails } from '@msgnet/shared/contract/authorization-requests.ts'
import { useState } from 'preact/hooks'
import type { Session } from '../console-session.ts'
import { texts } from '../texts.ts'
import { emptyGrant, type Grant, GrantFields, toGrantRequest } from '../tokens/grant-fields.tsx'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Field } from '../ui/elements.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { AuthorizeClient } from './authorize-client.ts'

const words = texts.authorize
/** More are found by a part of their name. */
const MAX_SHOWN = 8

interface Props {
  client: AuthorizeClient
  session: Session
  details: AuthorizationDetails
}

export function ConsentForm({ client, session, details: { scopes, refusal } }: Props) {
  const [instance, setInstance] = useState('')
  const [grant, setGrant] = useState<Grant>({
    ...emptyGrant,
    // Clients ask for what they can use; full access is never offered first.
    scope: scopes.includes('send') && scopes.length < 3 ? 'send' : 'read',
  })
  const allow = async () => {
    const consent = { ...(session.admin && { instance }), ...toGrantRequest(grant) }
    location.assign((await client.allow(consent)).returnTo)
  }
  return (
    <>
      {session.admin && <InstanceChoice {...{ session, instance }} onChange={setInstance} />}
      <GrantFields {...{ scopes, grant }} onChange={setGrant} />
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
