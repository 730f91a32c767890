// The form to sign in with an admin token or an instance's token.

import { GatewayError } from '@msgnet/client/errors.ts'
import { useEffect, useState } from 'preact/hooks'
import { isTokenEnded, signIn } from '../console-session.ts'
import { Brand } from '../greeting-page.tsx'
import { texts } from '../texts.ts'
import { Button, useAction } from '../ui/action-button.tsx'
import { Checkbox, Field } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'

const words = texts.signIn

export function SignInPage() {
  const [token, setToken] = useState('')
  const [remember, setRemember] = useState(false)
  const action = useAction()
  useEffect(() => {
    document.title = `${words.title} · ${texts.name}`
  }, [])
  const submitToken = (event: Event) => {
    event.preventDefault()
    void action.run(async () => {
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
      <form class="card stack" onSubmit={submitToken}>
        <h1>{words.title}</h1>
        {isTokenEnded() && (
          <p class="note warn" role="status">
            {words.ended}
          </p>
        )}
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
          <Checkbox checked={remember} onChange={setRemember}>
            {words.remember}
          </Checkbox>
          <span class="small quiet">{words.rememberHint}</span>
        </div>
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Button class="main" type="submit" busy={action.busy} disabled={!token.trim()}>
          {words.title}
        </Button>
      </form>
      <p class="small quiet">{words.where}</p>
    </main>
  )
}
