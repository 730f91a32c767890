// The guides on the page: the quick start, verification, and the retry schedule.

import { DAY, HOUR, MINUTE, SECOND } from '../../shared/date-time.ts'
import { DELIVERY_JITTER, deliveryDelays } from '../../shared/delivery-schedule.ts'
import { verificationSamples } from '../../shared/verification-samples.ts'
import { quickStart } from '../quick-start.ts'
import { markOrigin, renderCodeBlock } from './code-blocks.ts'
import { type Html, html, renderInline } from './html.ts'

const toSearchWords = (text: string) => text.toLowerCase()

export const renderQuickStart = (): Html => html`<article><h2 id="quick-start">Quick start</h2>
  <p>Run these commands in this order, in a shell with <code>curl</code>, on a server that <code>npm start</code> runs. <a href="/console">The console</a> does the same with a mouse.</p>
  ${quickStart.map(
    (
      { title, explanation, command },
      index,
    ) => html`<section class="operation step" id="step-${index + 1}" data-words="quick start ${toSearchWords(title)}">
    <div class="told"><h3><a href="#step-${index + 1}">${index + 1}. ${title}</a></h3><p>${renderInline(explanation)}</p></div>
    <div class="shown">${renderCodeBlock('Shell', markOrigin(command))}</div>
  </section>`,
  )}
</article>`

export const renderVerification =
  (): Html => html`<section class="operation" id="verify" data-words="verify signature secret webhook">
    <div class="told"><h3><a href="#verify">Is a delivery genuine?</a></h3>
    <p>The signature is over <code>webhook-id</code>, <code>webhook-timestamp</code> and the bytes of the body, joined by dots, as in Standard Webhooks 1.0: its libraries do the same. Read the body before any code parses it.</p>
    <p>A secret <code>whsec_</code> and base64 means the decoded bytes; any other secret means its own ASCII bytes. Refuse a timestamp more than five minutes away.</p></div>
    <div class="shown">${Object.entries(verificationSamples).map(([language, code], index) => html`<details class="more"${index === 0 && html` open`}><summary>${language}</summary>${renderCodeBlock(language, code.trimEnd())}</details>`)}</div>
  </section>`

/** Made from the courier's own waits, so that the page shows what it does. */
export function renderSchedule(): Html {
  let since = 0
  const rows = [0, ...deliveryDelays].map((wait, index) => {
    since += wait
    return html`<tr><td>${index + 1}</td><td>${index === 0 ? 'at once' : formatDuration(wait)}</td><td>${formatDuration(since)}</td></tr>`
  })
  return html`<section class="record" id="schedule" data-words="retry retries schedule attempts dead letter backoff">
    <h3><a href="#schedule">When a delivery is retried</a></h3>
    <p>A 2xx within 15 seconds is a success; anything else is a failure. Each wait is up to ${DELIVERY_JITTER * 100} % longer or shorter; <code>Retry-After</code> makes it longer, to 24 hours at most. After the last attempt the event is <code>dead</code>, and only <a href="#redriveEvents">a replay</a> delivers it again.</p>
    <table class="schedule"><thead><tr><th scope="col">Attempt</th><th scope="col">After the previous one</th><th scope="col">Since the first</th></tr></thead><tbody>${rows}</tbody></table>
  </section>`
}

const UNITS = [
  ['d', DAY],
  ['h', HOUR],
  ['min', MINUTE],
  ['s', SECOND],
] as const

/** `3 d 3 h 42 min 35 s`; empty for 0. */
export function formatDuration(ms: number): string {
  let remaining = ms
  return UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(remaining / size)
    remaining -= count * size
    return count > 0 ? [`${count} ${unit}`] : []
  }).join(' ')
}
