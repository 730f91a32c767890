// Code blocks on the page. They show the shell; the page's script writes the other languages from the data of the page.

import type { Entry } from '../document.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import { writeCurl } from '../samples/curl.ts'
import { toSampleRequest } from '../samples/sample-request.ts'
import { type Html, html } from './html.ts'
import { listSampleBodies, toRequestShape } from './sample-bodies.ts'

/** The page's script replaces the sample's address by its own server's. */
const markOrigin = (code: string): Html =>
  html`${code.split(SAMPLE_ORIGIN).map((part, index) => [index > 0 && html`<var>${SAMPLE_ORIGIN}</var>`, part])}`

/** A scrolling block must be reachable by keyboard. */
const renderFigure = (title: string, code: Html | string, attribute?: Html): Html =>
  html`<figure${attribute}><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`

export const renderCodeBlock = (title: string, value: unknown): Html =>
  renderFigure(title, JSON.stringify(value, null, 2))

/** A block in every language: its id names it in the data of the page. */
export const renderSample = (title: string, id: string, shellCode: string): Html =>
  renderFigure(title, markOrigin(shellCode.trimEnd()), html` data-sample="${id}"`)

/** Blocks of which one is open at a time, without a script too. */
export function renderAlternatives(group: string, blocks: { title: string; block: Html }[]): Html {
  const [first] = blocks
  if (!first) return html``
  if (blocks.length === 1) return first.block
  return html`<div class="alternatives">${blocks.map(
    ({ title, block }, index) =>
      html`<details name="${group}"${index === 0 && html` open`}><summary>${title}</summary>${block}</details>`,
  )}</div>`
}

export function renderRequests(entry: Entry): Html {
  const { id } = entry.operation
  const shape = toRequestShape(entry)
  return renderAlternatives(
    `requests-${id}`,
    listSampleBodies(entry).map(({ name, body }, index) => ({
      title: `Request: ${name}`,
      block: renderSample('Request', `${id} ${index}`, writeCurl(toSampleRequest(shape, body))),
    })),
  )
}
