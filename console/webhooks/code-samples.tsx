// Code to copy: the call that sets the webhook, and the verification of deliveries in four languages.

import { useState } from 'preact/hooks'
import { verificationSamples } from '../../shared/verification-samples.ts'
import { texts } from '../texts.ts'
import { CopyButton } from '../ui/elements.tsx'

const samples = {
  curl: `curl ${location.origin}/webhook -H "token: $TOKEN" -H 'content-type: application/json' \\
  -d '{"url":"https://example.com/hook","events":"all","secret":"'"$SECRET"'"}'`,
  ...verificationSamples,
}
type Language = keyof typeof samples
const languages = Object.keys(samples) as Language[]

export function CodeSamples({ token }: { token: string }) {
  const [language, setLanguage] = useState<Language>('curl')
  const text = samples[language]
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{texts.webhook.samples}</h2>
        <CopyButton text={text.replace('$TOKEN', token)} />
      </div>
      <fieldset>
        <legend class="unseen">{texts.webhook.language}</legend>
        <div class="line">
          {languages.map((each) => (
            <label class="check" key={each}>
              <input
                type="radio"
                name="language"
                checked={each === language}
                onChange={() => setLanguage(each)}
              />
              {each}
            </label>
          ))}
        </div>
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  )
}
