// The languages of the samples: one choice for the whole page, remembered by the browser.

import { SAMPLE_ORIGIN } from '../../sample-origin.ts'
import { type LanguageName, languages } from '../../samples/languages.ts'
import { toSampleRequest } from '../../samples/sample-request.ts'
import type { PageData } from '../page-data.ts'
import { readShape } from '../written-shapes.ts'
import { highlightCode } from './highlight-code.ts'
import { createElement, findAll, readOrigin } from './page-elements.ts'

const STORED = 'docs-language'
const names = Object.keys(languages) as LanguageName[]

/** Storage can be blocked: then the choice is for this visit. */
function readStored(): LanguageName {
  try {
    const stored = localStorage.getItem(STORED)
    return names.find((name) => name === stored) ?? 'shell'
  } catch {
    return 'shell'
  }
}

function store(language: LanguageName): void {
  try {
    localStorage.setItem(STORED, language)
  } catch (error) {
    console.info('The choice of a language is not stored:', error)
  }
}

export class LanguageChoice {
  readonly #data: PageData
  readonly #figures = findAll('figure[data-sample]')
  readonly #origin = readOrigin() || SAMPLE_ORIGIN

  constructor(data: PageData) {
    this.#data = data
    for (const figure of this.#figures) figure.querySelector('figcaption')?.append(this.#createTabs())
    const stored = readStored()
    // The page comes with the shell.
    if (stored === 'shell') this.#press(stored)
    else this.#show(stored)
  }

  #createTabs(): HTMLElement {
    const tabs = names.map((name) => {
      const tab = createElement('button', { type: 'button', 'data-choose': name }, languages[name].title)
      tab.addEventListener('click', () => this.#choose(name, tab))
      return tab
    })
    return createElement('span', { class: 'choices', role: 'group', 'aria-label': 'Language' }, ...tabs)
  }

  #choose(language: LanguageName, tab: HTMLElement): void {
    // What is above grows or shrinks: the tab that was pressed stays under the pointer.
    const before = tab.getBoundingClientRect().top
    this.#show(language)
    store(language)
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  }

  #show(language: LanguageName): void {
    for (const figure of this.#figures) {
      const code = figure.querySelector('code')
      if (!code) continue
      code.textContent = this.#writeSample(figure.dataset.sample ?? '', language)
      highlightCode(code)
    }
    this.#press(language)
  }

  #press(language: LanguageName): void {
    for (const tab of findAll('[data-choose]'))
      tab.setAttribute('aria-pressed', String(tab.dataset.choose === language))
  }

  #writeSample(id: string, language: LanguageName): string {
    const guide = this.#data.guides[id]
    const [operation = '', index = '0'] = id.split(' ')
    const request = this.#data.requests[operation]
    const code =
      guide?.[language] ??
      (request &&
        languages[language].write(
          toSampleRequest(readShape(request.shape), request.bodies[Number(index)]?.body),
        ))
    return (code ?? '').trimEnd().replaceAll(SAMPLE_ORIGIN, this.#origin)
  }
}
