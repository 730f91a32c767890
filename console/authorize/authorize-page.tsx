// The page that a client of `/mcp` sends a person to: who holds a token chooses what the client may do, for which instance and how long.

import { GatewayError } from '@msgnet/client/errors.ts'
import type { AuthorizationDetails } from '@msgnet/shared/contract/authorization-requests.ts'
import { useEffect, useMemo } from 'preact/hooks'
import { type Session, signOut, useSession } from '../console-session.ts'
import { SignInPage } from '../sign-in/sign-in-page.tsx'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Fact, Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { AuthorizeClient } from './authorize-client.ts'
import { ConsentForm } from './consent-form.tsx'

const words = texts.authorize

export function AuthorizePage() {
  const session = useSession()
  return session ? <Question session={session} /> : <SignInPage />
}

function Question({ session }: { session: Session }) {
  const { adminToken, token = '' } = session
  const client = useMemo(
    () => new AuthorizeClient(adminToken ? { admintoken: adminToken } : { token }),
    [adminToken, token],
  )
  const { value, error } = useLoad(client.readDetails, [client])
  useEffect(() => {
    document.title = words.title
  }, [])
  return (
    <main class="alone link-page">
      <h1>{words.title}</h1>
      {error !== undefined && <Refusal error={error} />}
      {value && (
        <section class="card stack">
          <ClientFacts details={value} />
          <ConsentForm {...{ client, session }} details={value} />
        </section>
      )}
      {!value && error === undefined && <Loading />}
      <div>
        <Button class="bare" onClick={signOut}>
          {words.otherToken}
        </Button>
      </div>
    </main>
  )
}

function ClientFacts({ details: { name, host, returnHost, isLocal } }: { details: AuthorizationDetails }) {
  return (
    <>
      <p class="strong">{words.question(name)}</p>
      <dl class="facts">
        <Fact name={words.identity}>{host || words.unverified}</Fact>
        <Fact name={words.returnsTo}>{returnHost}</Fact>
      </dl>
      {isLocal ? (
        <p class="note warn">{words.local}</p>
      ) : (
        !host && <p class="note warn">{words.unverifiedHint}</p>
      )}
    </>
  )
}

/** What is wrong with the question itself. Nobody is sent anywhere without a press of the button. */
function Refusal({ error }: { error: unknown }) {
  const returnTo = error instanceof GatewayError ? error.body.details?.returnTo : undefined
  return (
    <section class="card stack">
      <ErrorNote error={error} />
      {typeof returnTo === 'string' && (
        <ActionButton onAction={() => location.assign(returnTo)}>
          {words.goBack(new URL(returnTo).host)}
        </ActionButton>
      )}
    </section>
  )
}
