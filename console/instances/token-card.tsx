// The card that renews the token of an instance, and the form that asks for the present one.

import { useState } from 'preact/hooks'
import type { AdminClient } from '../../client/admin.ts'
import { connectInstance } from '../../client/instance.ts'
import type { Session } from '../session.ts'
import { texts } from '../texts.ts'
import { Act, Button } from '../ui/act.tsx'
import { Field, Secret } from '../ui/parts.tsx'

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
          <Secret text={token} />
        </>
      ) : (
        <Renew {...{ admin, session, id }} told={setToken} />
      )}
    </section>
  )
}

function Renew({ admin, session, id, told }: Props & { told: (token: string) => void }) {
  const [sure, setSure] = useState(false)
  const renew = async () => {
    const { token } = await admin.instances.renewToken(id)
    told(token)
    session.hold(id, token)
  }
  return (
    <>
      <p class="small quiet">{sure ? words.renewSays : words.tokenSays}</p>
      <div class="line">
        {sure ? (
          <>
            <Button onClick={() => setSure(false)}>{texts.cancel}</Button>
            <Act class="danger main" act={renew}>
              {words.renew}
            </Act>
          </>
        ) : (
          <Button onClick={() => setSure(true)}>{words.renew}</Button>
        )}
      </div>
    </>
  )
}

/** Shown instead of the tabs that need the instance's own token. */
export function Unlock({ session, id }: { session: Session; id: string }) {
  const [given, setGiven] = useState('')
  const use = async () => {
    const token = given.trim()
    const { instance } = await connectInstance({ baseUrl: location.origin, token }).status()
    if (instance.id !== id) throw new Error(words.unlockWrong)
    session.hold(id, token)
  }
  return (
    <section class="card stack" style={{ maxWidth: '620px' }}>
      <h2>{words.unlock}</h2>
      <p class="quiet">{words.unlockSays}</p>
      <Field label={words.unlockHave} type="password" value={given} onInput={setGiven} />
      <div>
        <Act class="main" act={use} disabled={!given.trim()}>
          {words.unlockUse}
        </Act>
      </div>
      {session.admin && (
        <>
          <hr />
          <Renew admin={session.admin} session={session} id={id} told={() => undefined} />
        </>
      )}
    </section>
  )
}
