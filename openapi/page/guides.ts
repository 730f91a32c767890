// The guides on the page: the quick start, verification, and the retry schedule.

import { DAY, HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { DELIVERY_JITTER, deliveryDelays } from '@msgnet/shared/delivery-schedule.ts'
import { quickStartCode } from '../quick-start/quick-start.ts'
import { quickStart } from '../quick-start/start-steps.ts'
import { renderSample } from './code-blocks.ts'
import { type Html, html, renderInline } from './html.ts'
import { verificationCode } from './page-data.ts'

export const renderQuickStart =
  (): Html => html`<article id="quick-start" class="start"><h2><a href="#quick-start">Quick start</a></h2>
  <p class="lead">From nothing to a linked device, a sent message and a verified webhook. The steps of one language, in this order, are one program that runs on the machine of <code>npm start</code>. <a href="/console">The console</a> does the same with a mouse.</p>
  ${quickStart.map(
    ({ id, title, explanation }, index) => html`<section class="operation step" id="start-${id}">
    <div class="told"><h3><a href="#start-${id}"><span class="number">${index + 1}</span> ${title}</a></h3><p>${renderInline(explanation)}</p></div>
    <div class="shown">${renderSample(`Step ${index + 1}`, `start-${id}`, quickStartCode.shell[id])}</div>
  </section>`,
  )}
</article>`

export const renderVerification = (): Html => html`<section class="operation" id="verify" data-kind="Guides">
    <div class="told"><h3><a href="#verify">Is a delivery genuine?</a></h3>
    <p>The signature is over <code>webhook-id</code>, <code>webhook-timestamp</code> and the bytes of the body, joined by dots, as in Standard Webhooks 1.0: its libraries do the same. Read the body before any code parses it.</p>
    <p>A secret <code>whsec_</code> and base64 means the decoded bytes; any other secret means its own ASCII bytes. Refuse a timestamp more than five minutes away.</p></div>
    <div class="shown">${renderSample('Verification', 'verify', verificationCode.shell)}</div>
  </section>`

/** Made from the courier's own waits, so that the page shows what it does. */
export function renderSchedule(): Html {
  let since = 0
  const rows = [0, ...deliveryDelays].map((wait, index) => {
    since += wait
    return html`<tr><td>${index + 1}</td><td>${index === 0 ? 'at once' : formatDuration(wait)}</td><td>${formatDuration(since)}</td></tr>`
  })
  return html`<section class="record" id="schedule" data-kind="Guides">
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
