// One operation on the page: its description and fields on the left, requests and answers on the right.

import type { Route } from '../../shared/api/route.ts'
import { scopeOf } from '../../shared/api/scope.ts'
import { Fault } from '../../shared/faults.ts'
import type { Entry, OpenapiDocument } from '../document.ts'
import { faultsOf } from '../faults.ts'
import { answersOf, type Operation } from '../operation-object.ts'
import { jsonSchema } from '../schemas.ts'
import { block, folded, requests } from './code.ts'
import { fieldTable, nameOf, rowsOf, typeOf } from './fields.ts'
import { type Html, html, inline, prose } from './html.ts'
import { tryIt } from './try.ts'

const credentials: Record<Route['auth'], string> = {
  admin: 'Header `admintoken`',
  instance: 'Header `token`',
  host: 'Header `authorization: Bearer`',
  none: 'No credential',
}

export function operationHtml(entry: Entry, document: OpenapiDocument): Html {
  const { route, method, path, operation } = entry
  const object = document.paths[path]?.[method.toLowerCase()]
  return html`<section class="operation" id="${operation.id}" data-words="${`${route} ${operation.summary} ${operation.id}`.toLowerCase()}">
    <div class="told">
      <h3><a href="#${operation.id}">${operation.summary}</a></h3>
      <p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
      ${prose(object?.description)}
      <p class="quiet">${inline(credentials[operation.auth])}${operation.auth === 'admin' && html` · scope <code>${scopeOf(operation)}</code>`}${operation.adminScope && html`, or <code>admintoken</code> · scope <code>${operation.adminScope}</code>`}${operation.idempotent !== undefined && html` · takes <code>Idempotency-Key</code>`}</p>
      ${operation.query && html`<h4>Query</h4>${fieldTable(rowsOf(jsonSchema(operation.query, 'input')), 'written')}`}
      ${operation.header && html`<h4>Headers</h4>${fieldTable(rowsOf(jsonSchema(operation.header, 'input')), 'written')}`}
      ${bodyFields(operation, document)}
      ${answerFields(operation)}
      ${errors(entry)}
    </div>
    <div class="shown">${requests(entry)}${responses(operation)}${tryIt(entry)}</div>
  </section>`
}

function bodyFields({ body }: Route, document: OpenapiDocument): Html | false {
  if (!body) return false
  const schema = jsonSchema(body.schema, 'input')
  const forms = (schema.anyOf ?? [schema]) as { $ref?: string }[]
  return html`<h4>Body${body.optional && html` <span class="quiet">may be left out</span>`}</h4>${forms.map(
    (form, index) => [
      index > 0 && html`<p class="quiet">or</p>`,
      fieldTable(rowsOf(document.components.schemas[nameOf(form.$ref ?? '')] ?? form), 'written'),
    ],
  )}`
}

function answerFields(operation: Operation): Html {
  return html`<h4>Answer</h4>${answersOf(operation).map(({ status = 200, description, schema, type }) => {
    const made = schema && !type ? jsonSchema(schema, 'output') : undefined
    const opened = made?.properties && !made.$ref ? rowsOf(made) : []
    return html`<p><span class="status">${status}</span> ${description} ${made && opened.length === 0 && typeOf(made)}</p>
      ${opened.length > 0 && fieldTable(opened, 'read')}`
  })}`
}

function errors({ operation }: Entry): Html {
  const faults = faultsOf(operation).map((fault) => new Fault(fault))
  const sorted = faults.sort((one, other) => one.status - other.status)
  return html`<details class="errors"><summary>Errors <span class="quiet">${faults.length}</span></summary>
    <table>${sorted.map(
      (fault) =>
        html`<tr><td class="status">${fault.status}</td><td><code>${fault.body.error}</code></td><td>${fault.message}${fault.retryAfter !== undefined && html` <span class="limit">Retry-After ${fault.retryAfter}</span>`}</td></tr>`,
    )}</table></details>`
}

function responses(operation: Operation): Html {
  const shown = answersOf(operation).flatMap(({ status = 200, samples = {} }) =>
    Object.entries(samples).map(([name, value]) =>
      block(`${status}${name === 'answer' ? '' : ` ${name}`}`, JSON.stringify(value, null, 2)),
    ),
  )
  return shown.length > 0 ? folded(shown, 'answer') : html``
}
