// The search of the page: a dialog with a field and grouped results, used with the keyboard alone.

import { createElement, findAll, isTyping } from './page-elements.ts'
import { type Section, SectionRanking } from './rank-sections.ts'

const MAX_IN_GROUP = 8
const isApple = /Mac|iP(hone|ad)/.test(navigator.platform)

const readText = (element: ParentNode, selector: string): string =>
  findAll(selector, element)
    .map((found) => found.textContent)
    .join(' ')

/** Read from the page itself, at the first search. */
function readSections(): Section[] {
  const sections = findAll('section[id]').map((section) => ({
    id: section.id,
    kind: section.dataset.kind ?? (section.classList.contains('operation') ? 'Routes' : 'Guides'),
    title: readText(section, 'h3'),
    name: `${readText(section, '.route')} ${section.id}`,
    description: `${section.closest('article')?.id} ${readText(section, '.told > p, .told > .rules, :scope > p')}`,
    fields: readText(section, '.fields'),
    rest: section.classList.contains('wide') ? '' : readText(section, 'pre, .codes, summary'),
  }))
  const errors = findAll('tr[id]').map((row) => ({
    id: row.id,
    kind: 'Errors',
    title: readText(row, 'td:nth-child(2)').trim(),
    name: `${readText(row, '.status')} ${readText(row, 'td:nth-child(2)')}`,
    description: readText(row, 'td:nth-child(3)'),
    fields: '',
    rest: '',
  }))
  return [...sections, ...errors]
}

export class SearchDialog {
  readonly #field = createElement('input', {
    type: 'text',
    inputmode: 'search',
    role: 'combobox',
    placeholder: 'Search routes, fields, events and errors',
    'aria-label': 'Search everything',
    'aria-controls': 'found',
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  readonly #list = createElement('div', { id: 'found', role: 'listbox', 'aria-label': 'Results' })
  readonly #note = createElement('p', { class: 'quiet', role: 'status' })
  readonly #dialog = createElement(
    'dialog',
    { class: 'search', 'aria-label': 'Search' },
    this.#field,
    this.#list,
    this.#note,
  )
  #ranking: SectionRanking | undefined
  #chosen = 0

  constructor(button: HTMLElement) {
    document.body.append(this.#dialog)
    button.addEventListener('click', () => this.#open())
    this.#field.addEventListener('input', () => this.#showResults())
    this.#field.addEventListener('keydown', (event) => this.#handleKey(event))
    this.#dialog.addEventListener('click', ({ target }) => {
      const option = target instanceof Element && target.closest<HTMLElement>('[role=option]')
      if (option) this.#goTo(option)
      else if (target === this.#dialog) this.#dialog.close()
    })
    addEventListener('keydown', (event) => {
      const isShortcut = event.key === 'k' && (isApple ? event.metaKey : event.ctrlKey)
      const isSlash = event.key === '/' && !isTyping(event.target) && !event.ctrlKey && !event.metaKey
      if (!isShortcut && !isSlash) return
      event.preventDefault()
      this.#open()
    })
  }

  #open(): void {
    this.#ranking ??= new SectionRanking(readSections())
    if (!this.#dialog.open) this.#dialog.showModal()
    this.#field.select()
    this.#showResults()
  }

  #showResults(): void {
    const found = this.#ranking?.rank(this.#field.value) ?? []
    const groups = Map.groupBy(found, ({ kind }) => kind)
    this.#list.replaceChildren(
      ...[...groups].map(([kind, sections], index) =>
        createGroup(kind, index, sections.slice(0, MAX_IN_GROUP)),
      ),
    )
    this.#list.hidden = found.length === 0
    const isEmpty = this.#field.value.trim() === ''
    this.#note.textContent = isEmpty
      ? 'Type a path, a field, an event, an error code or words of a description.'
      : found.length === 0
        ? 'Nothing was found.'
        : `${found.length} found`
    this.#mark(0)
  }

  #listOptions = () => findAll('[role=option]', this.#list)

  #mark(index: number): void {
    const options = this.#listOptions()
    this.#chosen = options.length > 0 ? (index + options.length) % options.length : 0
    for (const [at, option] of options.entries())
      option.setAttribute('aria-selected', String(at === this.#chosen))
    const option = options[this.#chosen]
    if (option) this.#field.setAttribute('aria-activedescendant', option.id)
    else this.#field.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  #handleKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const option = this.#listOptions()[this.#chosen]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step !== undefined) this.#mark(this.#chosen + step)
    else if (option) this.#goTo(option)
  }

  #goTo(option: HTMLElement): void {
    this.#dialog.close()
    // The same place again moves there too.
    const { hash } = location
    location.hash = option.dataset.target ?? ''
    if (hash === location.hash) document.getElementById(hash.slice(1))?.scrollIntoView()
  }
}

function createGroup(kind: string, index: number, sections: Section[]): HTMLElement {
  const title = createElement('div', { id: `found-${index}`, class: 'group' }, kind)
  const options = sections.map(({ id, title: name, kind: group }) => {
    const route = document.getElementById(id)?.querySelector('.route')
    const label = createElement('span', { class: 'label' }, name)
    const place = route ? [...route.cloneNode(true).childNodes] : []
    const detail =
      group === 'Errors'
        ? [readText(document.getElementById(id) ?? document, 'td:nth-child(3) p:first-child')]
        : place
    return createElement(
      'div',
      { id: `found-${id}`, role: 'option', 'data-target': id },
      label,
      createElement('span', { class: 'detail' }, ...detail),
    )
  })
  return createElement('div', { role: 'group', 'aria-labelledby': `found-${index}` }, title, ...options)
}
