// The page at `/`: the name of the service, its health, and links.

import { useEffect } from 'preact/hooks'
import { texts } from './texts.ts'
import { Badge } from './ui/elements.tsx'
import { useLoad } from './ui/use-load.ts'

const words = texts.greeting

async function fetchHealth(): Promise<'ready' | 'notReady' | 'down'> {
  try {
    const response = await fetch('/health/ready')
    return response.ok ? 'ready' : 'notReady'
  } catch {
    return 'down'
  }
}

export function GreetingPage() {
  const { value } = useLoad(fetchHealth, [], 10_000)
  useEffect(() => {
    document.title = texts.name
  }, [])
  return (
    <main class="alone wide">
      <div class="hero">
        <Brand />
        <h1>{words.title}</h1>
        <p>{words.description}</p>
        <p class="line">
          <a class="button main" href="/console">
            {words.console}
          </a>
          <a class="button" href="/docs">
            {words.docs}
          </a>
        </p>
        <p role="status">
          <Badge kind={value === 'ready' ? 'good' : value ? 'bad' : ''}>
            {value ? words[value] : words.checking}
          </Badge>
        </p>
      </div>
      <section class="card stack">
        <h2>{words.first}</h2>
        <ol class="stack tight">
          {words.steps.map((step, index) => (
            <li class="line still" key={step}>
              <span class="face round" aria-hidden="true">
                {index + 1}
              </span>
              <span>{step}</span>
            </li>
          ))}
        </ol>
      </section>
    </main>
  )
}

export const Brand = ({ href = '/' }: { href?: string }) => (
  <a class="brand" href={href} aria-label={texts.name}>
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="#0f766e" />
      <path
        d="M8 10h16v10H15l-5 4v-4H8z"
        fill="none"
        stroke="#fff"
        stroke-width="2.2"
        stroke-linejoin="round"
      />
      <circle cx="12.5" cy="15" r="1.5" fill="#fff" />
      <circle cx="16" cy="15" r="1.5" fill="#fff" />
      <circle cx="19.5" cy="15" r="1.5" fill="#fff" />
    </svg>
    <span>{texts.name}</span>
  </a>
)
