// Draws the page of the address: the greeting, the console, or "not found".

import { useEffect } from 'preact/hooks'
import { Greeting } from './greeting.tsx'
import { useRoute } from './route.ts'
import { useSession } from './session.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { texts } from './texts.ts'

export function App() {
  if (location.pathname === '/') return <Greeting />
  if (location.pathname === '/console') return <Console />
  return <Lost />
}

function Console() {
  const route = useRoute()
  const session = useSession()
  return session ? <Shell session={session} route={route} /> : <SignIn />
}

function Lost() {
  useEffect(() => {
    document.title = `${texts.lost.title} · ${texts.name}`
  }, [])
  return (
    <main class="alone">
      <h1>{texts.lost.title}</h1>
      <p class="quiet">{texts.lost.says}</p>
      <p class="line">
        <a class="button main" href="/console">
          {texts.greeting.console}
        </a>
        <a class="button" href="/docs">
          {texts.greeting.docs}
        </a>
      </p>
    </main>
  )
}
