// "Try it": a form for each operation, sent to the server that the page came from. Tokens live in this page's memory only.

import type { Entry } from '../document.ts'
import { toJsonSchema } from '../json-schemas.ts'
import { type Html, html } from './html.ts'

/** The script makes the form when it is first opened. Routes for our own hosts have none. */
export function renderTryIt({ method, path, operation }: Entry): Html {
  const { auth, query, header, body, idempotent } = operation
  if (auth === 'host') return html``
  const request = {
    method,
    path,
    auth,
    query: Object.keys(query ? (toJsonSchema(query, 'input').properties ?? {}) : {}),
    headers: [
      ...Object.keys(header ? (toJsonSchema(header, 'input').properties ?? {}) : {}),
      ...(idempotent === undefined ? [] : ['Idempotency-Key']),
    ],
    bodies: body?.samples ?? {},
  }
  return html`<details class="try" data-ask="${JSON.stringify(request)}"><summary>Try it on this server</summary></details>`
}

export const tryScript = `
const held = { admin: '', instance: '', id: '' }

const make = (name, given = {}, ...inner) => {
  const element = Object.assign(document.createElement(name), given)
  element.append(...inner)
  return element
}

const labelled = (text, field) => make('label', {}, make('span', { textContent: text }), field)

function formOf(ask) {
  const input = (name, kept, given = {}) => {
    const field = make('input', { autocomplete: 'off', spellcheck: false, value: held[kept] ?? '', ...given })
    if (kept) field.addEventListener('input', () => { held[kept] = field.value })
    return labelled(name, field)
  }
  const form = make('form', { method: 'dialog' })
  if (ask.auth !== 'none') form.append(input(ask.auth === 'admin' ? 'admintoken' : 'token', ask.auth, { type: 'password', name: 'credential' }))
  if (ask.path.includes('{id}')) form.append(input('id', 'id', { name: 'id' }))
  for (const name of ask.query) form.append(input(name + ' (query)', '', { name: 'query:' + name }))
  for (const name of ask.headers) form.append(input(name + ' (header)', '', { name: 'header:' + name }))
  const bodies = Object.entries(ask.bodies)
  if (bodies.length) {
    const written = (body) => JSON.stringify(body, null, 2)
    const area = make('textarea', { name: 'body', rows: 6, spellcheck: false, value: written(bodies[0][1]) })
    if (bodies.length > 1) {
      const choice = make('select', {}, ...bodies.map(([name], index) => make('option', { value: index, textContent: name })))
      choice.addEventListener('change', () => { area.value = written(bodies[choice.value][1]) })
      form.append(labelled('sample', choice))
    }
    form.append(labelled('body', area))
  }
  const send = make('button', { type: 'submit', textContent: ask.method + ' ' + ask.path })
  const stop = make('button', { type: 'button', textContent: 'Stop', hidden: true })
  form.append(make('p', { className: 'send' }, send, stop))
  const told = make('p', { className: 'quiet' })
  told.setAttribute('role', 'status')
  const shown = make('pre', { hidden: true, tabIndex: 0 })
  form.append(told, shown)
  form.addEventListener('submit', (event) => { event.preventDefault(); void run(ask, form, { send, stop, told, shown }) })
  return form
}

async function run(ask, form, { send, stop, told, shown }) {
  const field = (name) => form.elements[name]?.value ?? ''
  const query = new URLSearchParams(ask.query.map((name) => [name, field('query:' + name)]).filter(([, value]) => value))
  const headers = new Headers(ask.headers.map((name) => [name, field('header:' + name)]).filter(([, value]) => value))
  if (ask.auth !== 'none') headers.set(ask.auth === 'admin' ? 'admintoken' : 'token', field('credential'))
  const body = form.elements.body?.value
  if (body) headers.set('content-type', 'application/json')
  const ending = new AbortController()
  stop.onclick = () => ending.abort()
  send.disabled = true
  stop.hidden = false
  shown.textContent = ''
  shown.hidden = true
  told.textContent = 'Sending…'
  const began = performance.now()
  try {
    // The page's own origin, whatever address the samples name.
    const path = ask.path.replace('{id}', encodeURIComponent(field('id'))) + (query.size ? '?' + query : '')
    const answer = await fetch(path, { method: ask.method, headers, ...(body && { body }), credentials: 'omit', cache: 'no-store', signal: ending.signal })
    const type = (answer.headers.get('content-type') ?? '').split(';')[0]
    told.textContent = [answer.status, Math.round(performance.now() - began) + ' ms', 'request id ' + answer.headers.get('x-request-id')].join(' · ')
    shown.hidden = false
    if (type === 'application/json') show(ask, await answer.text(), shown)
    else if (!type.startsWith('text/')) shown.textContent = type + ', ' + (await answer.arrayBuffer()).byteLength + ' bytes'
    else for await (const text of pieces(answer)) shown.textContent += text
  } catch (error) {
    told.textContent = ending.signal.aborted ? told.textContent + ' · stopped' : String(error)
  }
  send.disabled = false
  stop.hidden = true
}

async function* pieces(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
}

function show(ask, text, shown) {
  const value = JSON.parse(text)
  shown.textContent = JSON.stringify(value, null, 2)
  // A new instance is the one that is asked next.
  if (ask.path === '/instance/init' && value.instance?.token) {
    held.instance = value.instance.token
    held.id = value.instance.id
    for (const [name, kept] of [['credential', 'instance'], ['id', 'id']])
      for (const form of all('.try form')) if (form.elements[name] && (name === 'id' || form.closest('.try').dataset.ask.includes('"auth":"instance"'))) form.elements[name].value = held[kept]
  }
}

for (const place of all('.try')) place.addEventListener('toggle', () => {
  if (!place.open) return
  const form = place.querySelector('form') ?? place.appendChild(formOf(JSON.parse(place.dataset.ask)))
  const ask = JSON.parse(place.dataset.ask)
  if (form.elements.credential) form.elements.credential.value ||= held[ask.auth]
  if (form.elements.id) form.elements.id.value ||= held.id
})
`
