// Makes the documentation page from the document: one HTML file that loads nothing else.

import { chapters } from '@msgnet/shared/api/api.ts'
import { deliveries } from '../delivery-section.ts'
import { type Entry, entries, type OpenapiDocument } from '../document.ts'
import { listFields } from '../field-words.ts'
import { quickStart } from '../quick-start/start-steps.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import { type Schema, ShownSchemas } from '../shown-schemas.ts'
import { eventAnchor, renderDeliveries } from './delivery-chapter.ts'
import { renderErrors } from './error-section.ts'
import { renderFieldTable, renderType } from './field-table.ts'
import { renderQuickStart } from './guides.ts'
import { type Html, html, renderProse, renderSummarized } from './html.ts'
import { renderMethod, renderOperation } from './operation-section.ts'
import { buildPageData } from './page-data.ts'
import { style } from './page-style.ts'

export interface Page {
  html: string
  /** The page's own style and script, for the hashes of its Content-Security-Policy. */
  style: string
  script: string
}

/** `script`: the bundle of `browser/`. */
export function renderDocumentationPage(document: OpenapiDocument, script: string): Page {
  const { info } = document
  const schemas = new ShownSchemas(document)
  const page = html`<!doctype html>
<html lang="en" data-origin="">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<style>${'STYLE'}</style>
</head>
<body>
${renderContents(info, schemas)}
<main id="top">
  ${renderIntroduction(info)}
  ${renderQuickStart()}
  ${parts.callers.map((part) => renderChapter(part, schemas))}
  ${renderDeliveries(schemas)}
  ${renderErrors()}
  <div class="part" id="operators"><h2><a href="#operators">For operators</a></h2><p class="lead">Operators of the server use these routes with the admin token; programs that send and receive never use them.</p></div>
  ${parts.operators.map((part) => renderChapter(part, schemas))}
  <article id="records"><h2><a href="#records">Records</a></h2><p class="lead">Responses and deliveries consist of these records.</p>
    ${schemas.listRecords().map(([name, schema]) => renderRecord(name, schema, schemas))}
  </article>
</main>
<script type="application/json" id="data">${'DATA'}</script>
<script>${'SCRIPT'}</script>
</body>
</html>
`
  // Escaping would change the bytes that were hashed, and a text of the data must not end its element.
  const data = JSON.stringify(buildPageData()).replaceAll('<', '\\u003c')
  const text = page.text
    .replace('>STYLE<', () => `>${style}<`)
    .replace('>DATA<', () => `>${data}<`)
    .replace('>SCRIPT<', () => `>${script}<`)
  return { html: removeIndent(text), style, script }
}

/** Indentation of the template is no part of the page; code blocks, style and script stay as they are. */
const removeIndent = (text: string): string =>
  text
    .split(/(<pre[\s\S]*?<\/pre>|<style>[\s\S]*?<\/style>|<script[\s\S]*?<\/script>)/)
    .map((part, index) => (index % 2 ? part : part.replace(/\n\s*/g, '\n')))
    .join('')

const renderIntroduction = ({ title, description }: OpenapiDocument['info']): Html => {
  const [lead = '', ...rules] = description.split('\n\n')
  return html`<header><h1>${title}</h1><p class="lead">${lead}</p>
  <dl class="basics">
    <div><dt>Address</dt><dd><code class="origin">${SAMPLE_ORIGIN}</code>, JSON in and out, described by <a href="/openapi.json">OpenAPI 3.1</a></dd></div>
    <div><dt>Credential</dt><dd>header <code>token</code> for an instance, <code>admintoken</code> for operators</dd></div>
    <div><dt>Repeating</dt><dd>an <code>Idempotency-Key</code> makes one effect of many requests, for 24 hours</dd></div>
    <div><dt>Errors</dt><dd>one <a href="#errors">table</a> with cause and cure of each code</dd></div>
  </dl>
  <details class="rules"><summary>Rules of every request</summary>${renderProse(rules.join('\n\n'))}</details></header>`
}

const renderContents = (
  info: OpenapiDocument['info'],
  schemas: ShownSchemas,
): Html => html`<nav aria-label="Contents">
  <p class="bar"><a class="name" href="#top">${info.title}</a><button type="button" class="fold" aria-expanded="false">Contents</button></p>
  <p class="quiet">contract ${info.version}</p>
  <div class="contents">
  ${renderContentsChapter(
    'quick-start',
    'Quick start',
    quickStart.map(({ id, title }, index) => html`<li><a href="#start-${id}">${index + 1}. ${title}</a>`),
  )}
  ${parts.callers.map(renderChapterLinks)}
  ${renderContentsChapter('deliveries', 'Deliveries', [html`<li><a href="#delivery-headers">Headers of a delivery</a><li><a href="#verify">Is a delivery genuine?</a><li><a href="#schedule">When a delivery is retried</a>`, ...Object.keys(deliveries).map((name) => html`<li><a href="#${eventAnchor(name)}"><b class="event">event</b>${name}</a>`)])}
  ${renderContentsChapter('errors', 'Errors', [html`<li><a href="#common-errors">What may be repeated</a><li><a href="#every-error">Every code</a>`])}
  <p class="part"><a href="#operators">For operators</a></p>
  ${parts.operators.map(renderChapterLinks)}
  ${renderContentsChapter(
    'records',
    'Records',
    schemas.listRecords().map(([name]) => html`<li><a href="#${name}">${name}</a>`),
  )}
  </div>
</nav>`

const renderContentsChapter = (id: string, title: string, items: Html[]): Html =>
  html`<details${id === 'quick-start' && html` open`}><summary>${title}</summary><ul><li><a href="#${id}">Overview</a></li>${items}</ul></details>`

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

/** A chapter opens with what one can do there; its rules are folded. */
const renderChapter = ({ id, title, description, entries: asked }: Part, schemas: ShownSchemas): Html =>
  html`<article id="${id}"><h2><a href="#${id}">${title}</a></h2>
  <ul class="routes">${asked.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.id}">${renderMethod(method)}<code>${path}</code><span>${operation.summary}</span></a>`,
  )}</ul>
  <div class="chapter-rules">${renderSummarized(description, 'Rules of this chapter')}</div>
  ${asked.map((entry) => renderOperation(entry, schemas))}</article>`

const renderChapterLinks = ({ id, title, entries: asked }: Part): Html =>
  renderContentsChapter(
    id,
    title,
    asked.map(
      ({ method, path, operation }) =>
        html`<li><a href="#${operation.id}" title="${operation.summary}">${renderMethod(method)}${renderBreakablePath(path)}</a>`,
    ),
  )

/** A long path breaks before a word. */
const renderBreakablePath = (path: string): Html =>
  html`<span>${path.split(/(?=[A-Z/])/).map((word, index) => [index > 0 && html`<wbr>`, word])}</span>`

const renderRecord = (
  name: string,
  schema: Schema,
  schemas: ShownSchemas,
): Html => html`<section class="record" id="${name}" data-kind="Records">
  <h3><a href="#${name}">${name}</a></h3>
  ${((schema.oneOf ?? [schema]) as Schema[]).map((form, index) => [index > 0 && html`<p class="quiet">or</p>`, form.properties ? renderFieldTable(listFields(form, schemas), 'gateway') : html`<p>${renderType(form, 'gateway')}</p>`])}
</section>`
