// The chapter on errors: every code with its status, cause and cure, and the routes that answer it.

import { type Entry, entries } from '../document.ts'
import { type ErrorEntry, listErrors, readErrorCode, toErrorAnchor } from '../error-guide.ts'
import { faultGroups, listOwnFaults } from '../fault-responses.ts'
import { type Html, html, renderInline } from './html.ts'

export function renderErrors(): Html {
  const users = findUsers()
  return html`<article id="errors"><h2><a href="#errors">Errors</a></h2>
    <p class="lead">Every refusal has a code in <code>error</code>, for programs, and a sentence in <code>message</code>. To look one up, add <code>#error-</code> and the code to the address of this page.</p>
    <section class="record" id="common-errors" data-kind="Guides">
      <h3><a href="#common-errors">What may be repeated</a></h3>
      <table class="rules-table">
        <tr><th scope="row">4xx, 502</th><td>had no effect. Mend the request, or wait for <code>Retry-After</code>, then repeat it.</td></tr>
        <tr><th scope="row">504</th><td>has an unknown outcome. Repeat it with the same Idempotency-Key, which returns the outcome later and has no second effect.</td></tr>
        <tr><th scope="row">500</th><td>is a defect. Give the request id to the operator.</td></tr>
      </table>
      <h4>Errors of every request</h4>
      <table class="rules-table">${faultGroups.map(
        ({ what, faults }) =>
          html`<tr><th scope="row">${what}</th><td class="codes">${[...new Set(faults.map(readErrorCode))].map(renderCodeLink)}</td></tr>`,
      )}</table>
    </section>
    <section class="record wide" id="every-error" data-kind="Guides">
      <h3><a href="#every-error">Every code</a></h3>
      <table class="errors-table"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Cause and cure</th><th scope="col">Routes</th></tr></thead>
      <tbody>${listErrors().map((error) => renderErrorRow(error, users.get(error.code) ?? []))}</tbody></table>
    </section></article>`
}

const renderCodeLink = (code: string): Html => html`<a href="#${toErrorAnchor(code)}">${code}</a> `

/** Operations that declare a code, by the code. */
function findUsers(): Map<string, Entry[]> {
  const users = new Map<string, Entry[]>()
  for (const entry of entries)
    for (const code of new Set(listOwnFaults(entry.operation).map(readErrorCode)))
      users.set(code, [...(users.get(code) ?? []), entry])
  return users
}

const renderErrorRow = ({ code, statuses, causes }: ErrorEntry, users: Entry[]): Html =>
  html`<tr id="${toErrorAnchor(code)}"><td class="status">${statuses.join(', ')}<td><a href="#${toErrorAnchor(code)}"><code>${code}</code></a><td>${causes.map(
    ({ message, cure, key, retryAfter }) =>
      html`<p>${message}${key && html` <small>error_key <code>${key}</code></small>`}${retryAfter !== undefined && html` <small>Retry-After ${retryAfter}</small>`}</p><p class="cure">${renderInline(cure)}</p>`,
  )}<td>${renderUsers(code, users)}`

function renderUsers(code: string, users: Entry[]): Html {
  const implied = faultGroups.filter(({ faults }) => faults.some((fault) => readErrorCode(fault) === code))
  const links = users.map(({ operation }) => html`<a href="#${operation.id}">${operation.id}</a> `)
  return html`${implied.map(({ what }) => html`<p>${what}</p>`)}${
    users.length > 3
      ? html`<details><summary>${users.length} routes</summary><p class="users">${links}</p></details>`
      : html`<p class="users">${links}</p>`
  }${implied.length === 0 && users.length === 0 && html`<p>Any request</p>`}`
}
