// One operation on the page: its description and fields on the left, requests and responses on the right.

import { getRequiredScope } from '../../shared/api/admin-scope.ts'
import type { Route } from '../../shared/api/route-declaration.ts'
import { Fault } from '../../shared/fault-table.ts'
import type { Entry, OpenapiDocument } from '../document.ts'
import { listFaults } from '../fault-responses.ts'
import { toJsonSchema } from '../json-schemas.ts'
import { listResponses, type Operation } from '../operation-object.ts'
import { renderCodeBlock, renderFolded, renderRequests } from './code-blocks.ts'
import { getSchemaName, listRows, renderFieldTable, renderType } from './field-table.ts'
import { type Html, html, renderInline, renderProse } from './html.ts'
import { renderTryIt } from './try-it.ts'

const credentials: Record<Route['auth'], string> = {
  admin: 'Header `admintoken`',
  instance: 'Header `token`',
  host: 'Header `authorization: Bearer`',
  none: 'No credential',
}

export function renderOperation(entry: Entry, document: OpenapiDocument): Html {
  const { route, method, path, operation } = entry
  const object = document.paths[path]?.[method.toLowerCase()]
  return html`<section class="operation" id="${operation.id}" data-words="${`${route} ${operation.summary} ${operation.id}`.toLowerCase()}">
    <div class="told">
      <h3><a href="#${operation.id}">${operation.summary}</a></h3>
      <p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
      ${renderProse(object?.description)}
      <p class="quiet">${renderInline(credentials[operation.auth])}${operation.auth === 'admin' && html` · scope <code>${getRequiredScope(operation)}</code>`}${operation.adminScope && html`, or <code>admintoken</code> · scope <code>${operation.adminScope}</code>`}${operation.idempotent !== undefined && html` · accepts <code>Idempotency-Key</code>`}</p>
      ${operation.query && html`<h4>Query</h4>${renderFieldTable(listRows(toJsonSchema(operation.query, 'input')), 'written')}`}
      ${operation.header && html`<h4>Headers</h4>${renderFieldTable(listRows(toJsonSchema(operation.header, 'input')), 'written')}`}
      ${renderBodyFields(operation, document)}
      ${renderResponseFields(operation)}
      ${renderErrors(entry)}
    </div>
    <div class="shown">${renderRequests(entry)}${renderResponses(operation)}${renderTryIt(entry)}</div>
  </section>`
}

function renderBodyFields({ body }: Route, document: OpenapiDocument): Html | false {
  if (!body) return false
  const schema = toJsonSchema(body.schema, 'input')
  const forms = (schema.anyOf ?? [schema]) as { $ref?: string }[]
  return html`<h4>Body${body.optional && html` <span class="quiet">optional</span>`}</h4>${forms.map(
    (form, index) => [
      index > 0 && html`<p class="quiet">or</p>`,
      renderFieldTable(
        listRows(document.components.schemas[getSchemaName(form.$ref ?? '')] ?? form),
        'written',
      ),
    ],
  )}`
}

function renderResponseFields(operation: Operation): Html {
  return html`<h4>Response</h4>${listResponses(operation).map(
    ({ status = 200, description, schema, type }) => {
      const made = schema && !type ? toJsonSchema(schema, 'output') : undefined
      const opened = made?.properties && !made.$ref ? listRows(made) : []
      return html`<p><span class="status">${status}</span> ${description} ${made && opened.length === 0 && renderType(made)}</p>
      ${opened.length > 0 && renderFieldTable(opened, 'read')}`
    },
  )}`
}

function renderErrors({ operation }: Entry): Html {
  const faults = listFaults(operation).map((fault) => new Fault(fault))
  const sorted = faults.sort((one, other) => one.status - other.status)
  return html`<details class="errors"><summary>Errors <span class="quiet">${faults.length}</span></summary>
    <table>${sorted.map(
      (fault) =>
        html`<tr><td class="status">${fault.status}</td><td><code>${fault.body.error}</code></td><td>${fault.message}${fault.retryAfter !== undefined && html` <span class="limit">Retry-After ${fault.retryAfter}</span>`}</td></tr>`,
    )}</table></details>`
}

function renderResponses(operation: Operation): Html {
  const blocks = listResponses(operation).flatMap(({ status = 200, samples = {} }) =>
    Object.entries(samples).map(([name, value]) =>
      renderCodeBlock(`${status}${name === 'answer' ? '' : ` ${name}`}`, JSON.stringify(value, null, 2)),
    ),
  )
  return blocks.length > 0 ? renderFolded(blocks, 'response') : html``
}
