// Makes the documentation page from the document: one HTML file that loads nothing else.

import { chapters } from '../../shared/api/api.ts'
import { Fault, faultNames } from '../../shared/fault-table.ts'
import { deliveries, deliveryHeaders } from '../delivery-section.ts'
import { type Entry, entries, type OpenapiDocument } from '../document.ts'
import { quickStart } from '../quick-start.ts'
import { renderCodeBlock } from './code-blocks.ts'
import { listRows, renderFieldTable, renderType } from './field-table.ts'
import { renderQuickStart, renderSchedule, renderVerification } from './guides.ts'
import { type Html, html, renderProse } from './html.ts'
import { renderOperation } from './operation-section.ts'
import { script } from './page-script.ts'
import { style } from './page-style.ts'

export interface Page {
  html: string
  /** The page's own style and script, for the hashes of its Content-Security-Policy. */
  style: string
  script: string
}

export function renderDocumentationPage(document: OpenapiDocument): Page {
  const { info, components } = document
  // Escaping would change the bytes that were hashed.
  const page = html`<!doctype html>
<html lang="en" data-origin="" data-language="curl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<style>${'STYLE'}</style>
</head>
<body>
<nav aria-label="Contents">
  <p class="bar"><a class="name" href="#top">${info.title}</a><button type="button" class="fold" aria-expanded="false">Contents</button></p>
  <p class="quiet">contract ${info.version} · <a href="/openapi.json">openapi.json</a></p>
  <input type="search" placeholder="Search everything  /" aria-label="Search everything" autocomplete="off">
  <div class="contents">
  <h2><a href="#quick-start">Quick start</a></h2>
  <ul>${quickStart.map(({ title }, index) => html`<li data-words="quick start"><a href="#step-${index + 1}">${index + 1}. ${title}</a></li>`)}</ul>
  ${parts.callers.map(renderChapterLinks)}
  <h2><a href="#deliveries">Deliveries</a></h2>
  <ul><li data-words="verify"><a href="#verify">Is a delivery genuine?</a></li><li data-words="retry"><a href="#schedule">When a delivery is retried</a></li>${Object.keys(deliveries).map((name) => html`<li data-words="${name} event delivery webhook"><a href="#on_${name}"><span class="method event">event</span>${name}</a></li>`)}</ul>
  <h2><a href="#errors">Errors</a></h2>
  <ul><li data-words="errors codes"><a href="#every-error">Every code</a></li></ul>
  <p class="part"><a href="#operators">For operators</a></p>
  ${parts.operators.map(renderChapterLinks)}
  <h2><a href="#records">Records</a></h2>
  <ul>${listRecordNames(components.schemas).map((name) => html`<li data-words="${name.toLowerCase()} record"><a href="#${name}">${name}</a></li>`)}</ul>
  </div>
</nav>
<main id="top">
  <header><h1>${info.title}</h1>${renderProse(info.description)}</header>
  ${renderQuickStart()}
  ${parts.callers.map((part) => renderChapter(part, document))}
  ${renderDeliveries(components.schemas)}
  ${renderErrorTable()}
  <div class="part"><h2 id="operators">For operators</h2><p>Operators of the server use these routes with the admin token; programs that send and receive never use them.</p></div>
  ${parts.operators.map((part) => renderChapter(part, document))}
  <article><h2 id="records">Records</h2><p>Responses and deliveries consist of these records.</p>
    ${listRecordNames(components.schemas).map((name) => renderRecord(name, components.schemas[name] ?? {}))}
  </article>
  <p class="nothing" hidden>Nothing was found.</p>
</main>
<script>${'SCRIPT'}</script>
</body>
</html>
`
  const text = page.text.replace('STYLE', () => style).replace('>SCRIPT<', () => `>${script}<`)
  return { html: text, style, script }
}

/** The table of all errors, and when a request can be repeated. */
function renderErrorTable(): Html {
  const all = faultNames.map((name) => new Fault(name)).sort((one, other) => one.status - other.status)
  return html`<article><h2 id="errors">Errors</h2>
    <p>Every refusal has a code in <code>error</code> and an explanation in <code>message</code>. A 4xx and a 502 are certainly without effect. The outcome of a 504 is not known; the same Idempotency-Key returns it later.</p>
    <section class="record" id="every-error" data-words="errors codes">
      <h3><a href="#every-error">Every code</a></h3>
      <table class="errors-table">${all.map((fault) => html`<tr><td class="status">${fault.status}</td><td><code>${fault.body.error}</code></td><td>${fault.message}${fault.retryAfter !== undefined && html` <span class="limit">Retry-After ${fault.retryAfter}</span>`}</td></tr>`)}</table>
    </section></article>`
}

const toAnchor = (title: string) => title.toLowerCase().replaceAll(' ', '-')

/** A chapter, or the routes in it for one side. */
interface Part {
  id: string
  title: string
  description: string
  entries: Entry[]
}

/** Routes for programs, and separately routes for operators only. */
const parts = {
  callers: listParts(({ operation }) => operation.auth === 'instance' || operation.auth === 'none', ''),
  operators: listParts(
    ({ operation }) => operation.auth === 'admin' || operation.auth === 'host',
    'operators-',
  ),
}

function listParts(includes: (entry: Entry) => boolean, prefix: string): Part[] {
  return chapters
    .map(({ title, description }) => ({
      id: prefix + toAnchor(title),
      title,
      description,
      entries: entries.filter((entry) => entry.chapter.title === title && includes(entry)),
    }))
    .filter(({ entries: asked }) => asked.length > 0)
}

const renderChapter = ({ id, title, description, entries: asked }: Part, document: OpenapiDocument): Html =>
  html`<article><h2 id="${id}">${title}</h2>${renderProse(description)}${asked.map((entry) => renderOperation(entry, document))}</article>`

const renderChapterLinks = ({
  id,
  title,
  entries: asked,
}: Part): Html => html`<h2><a href="#${id}">${title}</a></h2>
  <ul>${asked.map(({ method, route, path, operation }) => html`<li data-words="${`${route} ${operation.summary} ${operation.id}`.toLowerCase()}"><a href="#${operation.id}" title="${operation.summary}"><span class="method ${method.toLowerCase()}">${method}</span>${renderBreakablePath(path)}</a></li>`)}</ul>`

/** A long path breaks before a word. */
const renderBreakablePath = (path: string): Html =>
  html`${path.split(/(?=[A-Z])/).map((word, index) => [index > 0 && html`<wbr>`, word])}`

/** Bodies of requests and envelopes are shown where they are used. */
const listRecordNames = (schemas: OpenapiDocument['components']['schemas']): string[] =>
  Object.keys(schemas).filter(
    (name) => !/(Request|Envelope)$|^(SendText|ChatRead|WebhookSave|WebhookEnd)$/.test(name),
  )

type Schema = OpenapiDocument['components']['schemas'][string]

const renderRecord = (
  name: string,
  schema: Schema,
): Html => html`<section class="record" id="${name}" data-words="${name.toLowerCase()} record">
  <h3><a href="#${name}">${name}</a></h3>
  ${((schema.oneOf ?? [schema]) as Schema[]).map((form, index) => [index > 0 && html`<p class="quiet">or</p>`, form.properties ? renderFieldTable(listRows(form), 'read') : html`<p>${renderType(form)}</p>`])}
</section>`

const renderDeliveries = (schemas: OpenapiDocument['components']['schemas']): Html => html`<article>
  <h2 id="deliveries">Deliveries</h2>
  <p>The gateway posts one event per request to a webhook, as JSON. Check the signature, detect duplicates by <code>webhook-id</code>, and respond with 2xx once the event is stored.</p>
  ${renderFieldTable(
    deliveryHeaders.map(({ name, says, required, schema }) => ({
      name,
      required,
      schema: { ...schema, description: says },
    })),
    'read',
  )}
  ${renderVerification()}
  ${renderSchedule()}
  ${Object.entries(deliveries).map(
    ([
      name,
      { summary, example },
    ]) => html`<section class="operation" id="on_${name}" data-words="${name} event delivery webhook">
    <div class="told"><h3><a href="#on_${name}">${summary}</a></h3><p class="route"><span class="method event">event</span> <code>${name}</code></p>
    ${renderFieldTable(listRows(schemas[toEnvelopeName(name)] ?? {}), 'read')}</div>
    <div class="shown">${renderCodeBlock('Posted', JSON.stringify(example, null, 2))}</div>
  </section>`,
  )}
</article>`

/** `messages_update` → `MessagesUpdateEnvelope`. */
const toEnvelopeName = (event: string) =>
  `${event.replace(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase())}Envelope`
