// One operation on the page: what it does and its fields on the left, requests and responses on the right.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { getRequiredScope } from '@msgnet/shared/contract/admin-scope.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Entry } from '../document.ts'
import { readErrorCode, toErrorAnchor } from '../error-guide.ts'
import { faultGroups, listOwnFaults } from '../fault-responses.ts'
import { listFields } from '../field-words.ts'
import { toJsonSchema } from '../json-schemas.ts'
import { listResponses, type Operation } from '../operation-object.ts'
import type { Schema, ShownSchemas } from '../shown-schemas.ts'
import { renderAlternatives, renderCodeBlock, renderRequests } from './code-blocks.ts'
import { renderFieldTable, renderType } from './field-table.ts'
import { type Html, html, renderInline, renderSummarized } from './html.ts'
import { findTwin } from './sample-bodies.ts'

const credentials: Record<Route['auth'], string> = {
  admin: '`admintoken`',
  instance: '`token`',
  host: '`authorization: Bearer`',
  none: 'no credential',
}

export const renderMethod = (method: string): Html => html`<b class="${method.toLowerCase()}">${method}</b>`

export function renderOperation(entry: Entry, schemas: ShownSchemas): Html {
  const { method, path, operation } = entry
  const twin = findTwin(entry)
  return html`<section class="operation" id="${operation.id}">
    <div class="told">
      <h3><a href="#${operation.id}">${operation.summary}</a></h3>
      <p class="route">${renderMethod(method)} <code>${path}</code></p>
      ${renderSummarized(operation.description, 'More')}
      ${renderNeeds(operation)}
      ${twin ? renderTwin(twin) : renderFields(operation, schemas)}
      ${renderOwnErrors(operation)}
    </div>
    <div class="shown">${renderRequests(entry)}${!twin && renderResponses(operation)}</div>
  </section>`
}

const renderTwin = ({ route, operation }: Entry): Html =>
  html`<p>Fields and responses are those of <a href="#${operation.id}">${route}</a>.</p>`

const renderFields = (operation: Operation, schemas: ShownSchemas): Html => html`
      ${operation.query && html`<h4>Query</h4>${renderFieldTable(listFields(toJsonSchema(operation.query, 'input'), schemas), 'caller')}`}
      ${operation.header && html`<h4>Headers</h4>${renderFieldTable(listFields(toJsonSchema(operation.header, 'input'), schemas), 'caller')}`}
      ${renderBodyFields(operation, schemas)}
      ${renderResponseFields(operation, schemas)}`

const formatScope = (operation: Operation): string => {
  const scope = operation.auth === 'admin' ? getRequiredScope(operation) : operation.tokenScope
  return scope === undefined || scope === 'own' ? '' : ` scope ${scope}`
}

/** What a request needs beside its body, in one line of labels. */
const renderNeeds = (operation: Operation): Html =>
  html`<p class="needs"><span>${renderInline(credentials[operation.auth])}${formatScope(operation)}</span>${
    operation.adminScope && html`<span>or <code>admintoken</code> scope ${operation.adminScope}</span>`
  }${operation.idempotent !== undefined && html`<span><code>Idempotency-Key</code>${operation.idempotent < limits.retentionSeconds && ` ${operation.idempotent} s`}</span>`}${
    operation.audit && html`<span>audit log <code>${operation.audit}</code></span>`
  }</p>`

function renderBodyFields({ body }: Route, schemas: ShownSchemas): Html | false {
  if (!body) return false
  if (body.type) return html`<h4>Body</h4><p><code>${body.type}</code></p>`
  const schema = schemas.resolveHere(toJsonSchema(body.schema, 'input'))
  const forms = (schema.anyOf ?? [schema]) as Schema[]
  const { unsupported = [] } = body
  return html`<h4>Body${body.optional && html` <span class="quiet">optional</span>`}</h4>${forms.map(
    (form, index) => [
      index > 0 && html`<p class="quiet">or</p>`,
      renderFieldTable(listFields(schemas.resolveHere(form), schemas), 'caller'),
    ],
  )}${unsupported.length > 0 && html`<details class="rules"><summary>Refused by name</summary><p>${unsupported.map((name, index) => [index > 0 && ', ', html`<code>${name}</code>`])}</p></details>`}`
}

function renderResponseFields(operation: Operation, schemas: ShownSchemas): Html {
  return html`<h4>Response</h4>${listResponses(operation).map(
    ({ status = 200, description, schema, type }) => {
      const made = schema && !type ? schemas.resolveHere(toJsonSchema(schema, 'output')) : undefined
      const opened = made ? listFields(made, schemas) : []
      return html`<p><span class="status">${status}</span> ${description} ${made && opened.length === 0 && renderType(made, 'gateway')}</p>
      ${opened.length > 0 && renderFieldTable(opened, 'gateway')}`
    },
  )}`
}

/** Each leads to its cause and cure; those that follow from token, body and key stand once, at the table. */
function renderOwnErrors(operation: Operation): Html {
  const codes = [...new Set(listOwnFaults(operation).map(readErrorCode))]
  const asksNetwork = faultGroups.some(
    ({ faults, applies }) => faults.includes('outcome_unknown') && applies(operation),
  )
  return html`<h4>Errors</h4><p class="codes">${codes.map(
    (code) => html`<a href="#${toErrorAnchor(code)}">${code}</a> `,
  )}<a href="#common-errors">shared${asksNetwork && ', of the network'}</a></p>`
}

function renderResponses(operation: Operation): Html {
  const blocks = listResponses(operation).flatMap(({ status = 200, samples = {} }) =>
    Object.entries(samples).map(([name, value]) => ({
      title: `Response ${status}: ${name}`,
      block: renderCodeBlock(`Response ${status}`, value),
    })),
  )
  return renderAlternatives(`responses-${operation.id}`, blocks)
}
