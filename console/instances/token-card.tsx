// The card that renews the token of an instance, and the form that asks for the present one.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin-client.ts'
import { connectInstance } from '../../client/instance-client.ts'
import type { Session } from '../console-session.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Field, SecretText } from '../ui/elements.tsx'

const words = texts.instance

interface Props {
  admin: AdminClient
  session: Session
  id: string
}

export function TokenCard({ admin, session, id }: Props) {
  const [token, setToken] = useState('')
  return (
    <section class="card stack">
      <h2>{words.token}</h2>
      {token ? (
        <>
          <p class="note warn">{words.renewed}</p>
          <SecretText text={token} />
        </>
      ) : (
        <RenewToken {...{ admin, session, id }} onToken={setToken} />
      )}
    </section>
  )
}

function RenewToken({ admin, session, id, onToken }: Props & { onToken: (token: string) => void }) {
  const [sure, setSure] = useState(false)
  const renewToken = async () => {
    const { token } = await admin.instances.renewToken(id)
    onToken(token)
    session.storeToken(id, token)
  }
  return (
    <>
      <p class="small quiet">{sure ? words.renewHint : words.tokenHint}</p>
      <div class="line">
        {sure ? (
          <>
            <Button onClick={() => setSure(false)}>{texts.cancel}</Button>
            <ActionButton class="danger main" onAction={renewToken}>
              {words.renew}
            </ActionButton>
          </>
        ) : (
          <Button onClick={() => setSure(true)}>{words.renew}</Button>
        )}
      </div>
    </>
  )
}

/** Shown instead of the tabs that need the instance's own token. */
export function UnlockForm({ session, id }: { session: Session; id: string }) {
  const [input, setInput] = useState('')
  const submitToken = async () => {
    const token = input.trim()
    const { instance } = await connectInstance({ baseUrl: location.origin, token }).status()
    if (instance.id !== id) throw new Error(words.unlockWrong)
    session.storeToken(id, token)
  }
  return (
    <section class="card stack" style={{ maxWidth: '620px' }}>
      <h2>{words.unlock}</h2>
      <p class="quiet">{words.unlockHint}</p>
      <Field label={words.unlockHave} type="password" value={input} onInput={setInput} />
      <div>
        <ActionButton class="main" onAction={submitToken} disabled={!input.trim()}>
          {words.unlockUse}
        </ActionButton>
      </div>
      {session.admin && (
        <>
          <hr />
          <RenewToken admin={session.admin} session={session} id={id} onToken={() => undefined} />
        </>
      )}
    </section>
  )
}
