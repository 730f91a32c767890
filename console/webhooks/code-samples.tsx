// Code to copy: the request that sets a webhook, and the verification of deliveries in four languages.

import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { CopyButton, RadioLine } from '../ui/elements.tsx'

const words = texts.webhook

const writeRequest = (path: string, token: string): string =>
  `curl ${location.origin}${path} -H "token: ${token}" -H 'content-type: application/json' \\
  -d '{"url":"https://example.com/hook","events":"all","secret":"'"$SECRET"'"}'`

type Language = 'curl' | keyof typeof verificationSamples
const languages = ['curl', ...Object.keys(verificationSamples)] as Language[]

interface Props {
  /** Undefined for an admin, who does not have it. */
  token: string | undefined
  isFirst: boolean
}

export function CodeSamples({ token = '$TOKEN', isFirst }: Props) {
  const [language, setLanguage] = useState<Language>('curl')
  const path = isFirst ? '/webhook' : '/v1/webhooks'
  const isRequest = language === 'curl'
  const text = isRequest ? writeRequest(path, '$TOKEN') : verificationSamples[language]
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{words.samples}</h2>
        <CopyButton text={isRequest ? writeRequest(path, token) : text} />
      </div>
      <RadioLine
        legend={words.language}
        name="language"
        options={languages.map((value) => ({ value, label: value }))}
        value={language}
        onChange={setLanguage}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  )
}
