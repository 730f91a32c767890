// Draws the page of the address: the greeting, the console, or "not found".

import { useEffect } from 'preact/hooks'
import { useSession } from './console-session.ts'
import { GreetingPage } from './greeting-page.tsx'
import { useRoute } from './hash-route.ts'
import { Shell } from './shell.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { texts } from './texts.ts'

export function ConsoleApp() {
  if (location.pathname === '/') return <GreetingPage />
  if (location.pathname === '/console') return <Console />
  return <NotFound />
}

function Console() {
  const route = useRoute()
  const session = useSession()
  return session ? <Shell session={session} route={route} /> : <SignInPage />
}

function NotFound() {
  useEffect(() => {
    document.title = `${texts.notFound.title} · ${texts.name}`
  }, [])
  return (
    <main class="alone">
      <h1>{texts.notFound.title}</h1>
      <p class="quiet">{texts.notFound.description}</p>
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
