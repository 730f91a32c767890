// "Try it": a form for each operation, sent to the server that the page came from. Tokens live in this page's memory only.

import type { PageData } from '../page-data.ts'
import { readShape } from '../written-shapes.ts'
import { highlightCode } from './highlight-code.ts'
import { createElement, findAll } from './page-elements.ts'
import { ACTING, sendTrial, type Trial } from './send-trial.ts'

type Asked = PageData['requests'][string]

const LABELS = { admin: 'admintoken', instance: 'token', host: '', none: '' }

/** Typed once a page: every form shows the same tokens and the same id. */
const held: Record<string, string> = {}

function hold(name: string, value: string): void {
  held[name] = value
  for (const field of findAll<HTMLInputElement>(`.try [data-held="${name}"]`)) field.value = value
}

export function addTryForm(section: HTMLElement, asked: Asked): void {
  const details = createElement('details', { class: 'try' }, createElement('summary', {}, 'Try it'))
  details.addEventListener('toggle', () => {
    if (details.open && !details.querySelector('form')) details.append(createForm(asked))
  })
  section.querySelector('.shown')?.append(details)
}

const createLabel = (text: string, field: HTMLElement): HTMLElement =>
  createElement('label', {}, createElement('span', {}, text), field)

function createField(text: string, name: string, attributes: Record<string, string> = {}): HTMLElement {
  const field = createElement('input', { name, autocomplete: 'off', spellcheck: 'false', ...attributes })
  const shared = attributes['data-held']
  if (shared) {
    field.value = held[shared] ?? ''
    field.addEventListener('input', () => hold(shared, field.value))
  }
  return createLabel(text, field)
}

function createForm({ shape: written, bodies }: Asked): HTMLElement {
  const shape = readShape(written)
  const { method, path, auth, query, headers, keyed } = shape
  const form = createElement('form', { method: 'dialog' })
  if (auth === 'instance') form.append(...createInstanceCredential())
  else if (LABELS[auth])
    form.append(createField(LABELS[auth], 'credential', { type: 'password', 'data-held': auth }))
  if (path.includes('{id}')) form.append(createField('id', 'id', { 'data-held': 'id' }))
  for (const name of ['linkId', 'tokenId'])
    if (path.includes(`{${name}}`)) form.append(createField(name, name))
  for (const name of query) form.append(createField(`${name} (query)`, `query:${name}`))
  const headerNames = [...headers, ...(keyed ? ['Idempotency-Key'] : [])]
  for (const name of headerNames) form.append(createField(`${name} (header)`, `header:${name}`))
  if (bodies.some(({ body }) => body !== undefined)) form.append(...createBodyFields(bodies))
  const send = createElement('button', { type: 'submit' }, `${method} ${path}`)
  const stop = createElement('button', { type: 'button', hidden: true }, 'Stop')
  const trial = createElement('div', { class: 'result' })
  form.append(createElement('p', { class: 'send' }, send, stop), trial)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const values = new FormData(form)
    const read = (name: string) => String(values.get(name) ?? '')
    void runTrial({ shape, headerNames, read }, { send, stop, result: trial })
  })
  return form
}

/** An instance's own token, or that of an admin who acts for it. */
function createInstanceCredential(): HTMLElement[] {
  const choice = createElement('select', { name: 'by' }, createOption('token'), createOption(ACTING))
  const fields = createElement('div', { class: 'fields' })
  const showFields = () => {
    held.by = choice.value
    const hidden = { type: 'password' }
    fields.replaceChildren(
      ...(choice.value === ACTING
        ? [
            createField('admintoken', 'credential', { ...hidden, 'data-held': 'admin' }),
            createField('instance (header)', 'actingFor', { 'data-held': 'id' }),
          ]
        : [createField('token', 'credential', { ...hidden, 'data-held': 'instance' })]),
    )
  }
  choice.value = held.by ?? 'token'
  choice.addEventListener('change', showFields)
  showFields()
  return [createLabel('signed in by', choice), fields]
}

const createOption = (value: string): HTMLElement => createElement('option', { value }, value)

function createBodyFields(bodies: Asked['bodies']): HTMLElement[] {
  const write = (index: number) => {
    const body = bodies[index]?.body
    return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  }
  const area = createElement('textarea', { name: 'body', rows: '7', spellcheck: 'false' }, write(0))
  const label = createLabel('body', area)
  if (bodies.length < 2) return [label]
  const options = bodies.map(({ name }, index) => createElement('option', { value: String(index) }, name))
  const choice = createElement('select', {}, ...options)
  choice.addEventListener('change', () => {
    area.value = write(Number(choice.value))
  })
  return [createLabel('sample', choice), label]
}

interface Parts {
  send: HTMLButtonElement
  stop: HTMLButtonElement
  result: HTMLElement
}

async function runTrial(trial: Trial, { send, stop, result }: Parts): Promise<void> {
  const abort = new AbortController()
  const status = createElement('p', { class: 'quiet', role: 'status' }, 'Sending…')
  const code = createElement('code')
  const body = createElement('pre', { tabindex: '0', hidden: true }, code)
  result.replaceChildren(status, body)
  stop.onclick = () => abort.abort()
  send.disabled = true
  stop.hidden = false
  try {
    for await (const { head, headers, text } of sendTrial(trial, abort.signal)) {
      if (head) status.textContent = head
      if (headers) body.before(createHeaderList(headers))
      if (text === undefined) continue
      body.hidden = false
      code.append(text)
    }
    holdNewInstance(trial, code.textContent)
  } catch (error) {
    status.textContent = abort.signal.aborted ? `${status.textContent} · stopped` : String(error)
  }
  highlightCode(code)
  send.disabled = false
  stop.hidden = true
}

const createHeaderList = (headers: [string, string][]): HTMLElement =>
  createElement(
    'details',
    { class: 'headers' },
    createElement('summary', {}, `${headers.length} headers`),
    createElement('pre', { tabindex: '0' }, headers.map(([name, value]) => `${name}: ${value}`).join('\n')),
  )

/** A new instance is the one that the next requests are for. */
function holdNewInstance({ shape }: Trial, text: string): void {
  if (shape.path !== '/instance/init') return
  const { instance } = JSON.parse(text) as { instance?: { id: string; token?: string } }
  if (!instance?.token) return
  hold('instance', instance.token)
  hold('id', instance.id)
}
