// Code blocks on the page, with a title and a copy button, and the same request in every language.

import type { Entry } from '../document.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import { languages } from '../samples/languages.ts'
import { listSampleBodies } from '../samples/sample-bodies.ts'
import { toSampleRequest } from '../samples/sample-request.ts'
import { type Html, html } from './html.ts'

/** The page's script replaces the sample's address by its own server's. */
export const markOrigin = (code: string): Html =>
  html`${code.split(SAMPLE_ORIGIN).map((part, index) => [index > 0 && html`<span class="origin">${SAMPLE_ORIGIN}</span>`, part])}`

const copy = html`<button type="button" class="copy">copy</button>`

/** A scrolling block must be reachable by keyboard. */
const renderPre = (code: Html | string, language?: string) =>
  html`<pre tabindex="0"${language && html` class="in ${language}"`}><code>${code}</code></pre>`

export const renderCodeBlock = (title: string, code: Html | string): Html =>
  html`<figure><figcaption><span>${title}</span>${copy}</figcaption>${renderPre(code)}</figure>`

/** The first is open, the others are folded. */
export const renderFolded = ([first, ...others]: Html[], more: string): Html =>
  html`${first}${others.length > 0 && html`<details class="more"><summary>${others.length} more ${more}${others.length > 1 && 's'}</summary>${others}</details>`}`

const choices = html`<span class="choices" role="group" aria-label="Language">${Object.entries(languages).map(
  ([name, { title }]) => html`<button type="button" class="choice" data-choose="${name}">${title}</button>`,
)}</span>`

export function renderRequests(entry: Entry): Html {
  const requestBlocks = listSampleBodies(entry).map(({ name, body }) => {
    const request = toSampleRequest(entry, body)
    return html`<figure><figcaption><span>${name ? `Request: ${name}` : 'Request'}</span>${choices}${copy}</figcaption>${Object.entries(
      languages,
    ).map(([language, { write }]) => renderPre(markOrigin(write(request).trimEnd()), language))}</figure>`
  })
  return requestBlocks.length > 0 ? renderFolded(requestBlocks, 'request') : html``
}
