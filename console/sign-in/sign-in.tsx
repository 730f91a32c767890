// The form to sign in with an admin token or an instance's token.

import { useEffect, useState } from 'preact/hooks'
import { GatewayError } from '../../client/errors.ts'
import { Brand } from '../greeting.tsx'
import { signIn } from '../session.ts'
import { texts } from '../texts.ts'
import { Button, useDoing } from '../ui/act.tsx'
import { Check, Field } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'

const words = texts.signIn

export function SignIn() {
  const [token, setToken] = useState('')
  const [remember, setRemember] = useState(false)
  const doing = useDoing()
  useEffect(() => {
    document.title = `${words.title} · ${texts.name}`
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run(async () => {
      try {
        await signIn(token.trim(), remember)
      } catch (error) {
        throw error instanceof GatewayError && error.status === 401 ? new Error(words.wrong) : error
      }
    })
  }
  return (
    <main class="alone">
      <Brand />
      <form class="card stack" onSubmit={submit}>
        <h1>{words.title}</h1>
        <Field
          label={words.token}
          type="password"
          hint={words.hint}
          value={token}
          onInput={setToken}
          required
          autofocus
        />
        <div class="stack tight">
          <Check checked={remember} onChange={setRemember}>
            {words.remember}
          </Check>
          <span class="small quiet">{words.rememberHint}</span>
        </div>
        {doing.error !== undefined && <Trouble error={doing.error} />}
        <Button class="main" type="submit" busy={doing.busy} disabled={!token.trim()}>
          {words.title}
        </Button>
      </form>
      <p class="small quiet">{words.where}</p>
    </main>
  )
}
