// What moves on the page: the address in the samples, the languages, copying, "Try it", the search, and the present place in the contents.

import type { PageData } from '../page-data.ts'
import { highlightCode } from './highlight-code.ts'
import { LanguageChoice } from './language-choice.ts'
import { createElement, findAll, readOrigin } from './page-elements.ts'
import { SearchDialog } from './search-dialog.ts'
import { addTryForm } from './try-form.ts'

const data = JSON.parse(document.getElementById('data')?.textContent ?? '') as PageData

const origin = readOrigin()
if (origin) for (const place of findAll('var, .origin')) place.textContent = origin

for (const [id, asked] of Object.entries(data.requests)) {
  const section = document.getElementById(id)
  if (section) addTryForm(section, asked)
}
new LanguageChoice(data)
for (const code of findAll('figure code')) highlightCode(code)
addCopyButtons()
addSearch()
watchContents()
scrollToPlace()
addEventListener('hashchange', scrollToPlace)

/**
 * Scrolls to the place that the address names until it stays there: sections get their true height when they come near, which moves
 * what is below them. A reader who scrolls is left alone.
 */
function scrollToPlace(): void {
  const place = document.getElementById(location.hash.slice(1))
  if (!place) return
  const reader = new AbortController()
  for (const event of ['wheel', 'touchstart', 'pointerdown', 'keydown', 'hashchange'])
    addEventListener(event, () => reader.abort(), { once: true, signal: reader.signal })
  let stillFrames = 0
  const scroll = () => {
    if (reader.signal.aborted) return
    const before = scrollY
    place.scrollIntoView({ behavior: 'instant' })
    stillFrames = Math.abs(scrollY - before) < 1 ? stillFrames + 1 : 0
    if (stillFrames < 10) requestAnimationFrame(scroll)
    else reader.abort()
  }
  scroll()
}

/** `read`: what is shown at the time of the click. */
function createCopyButton(title: string, kind: string, read: () => string): HTMLElement {
  const button = createElement('button', { type: 'button', class: kind }, title)
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(read())
    button.textContent = 'copied'
    setTimeout(() => {
      button.textContent = title
    }, 1200)
  })
  return button
}

function addCopyButtons(): void {
  for (const caption of findAll('figcaption'))
    caption.append(createCopyButton('copy', 'copy', () => caption.nextElementSibling?.textContent ?? ''))
  const readProgram = () =>
    findAll('#quick-start figure code')
      .map((code) => `${code.textContent}\n`)
      .join('\n')
  document
    .querySelector('#quick-start > .lead')
    ?.after(createCopyButton('Copy the whole program', 'whole', readProgram))
}

function addSearch(): void {
  const button = createElement(
    'button',
    { type: 'button', class: 'find' },
    'Search',
    createElement('kbd', {}, '/'),
  )
  document.querySelector('nav > .quiet')?.after(button)
  new SearchDialog(button)
}

/** Marks the present place in the contents, and opens its chapter. */
function watchContents(): void {
  const nav = document.querySelector('nav')
  const fold = nav?.querySelector<HTMLElement>('.fold')
  if (!nav || !fold) return
  const unfold = (isOpen: boolean) => {
    nav.classList.toggle('open', isOpen)
    fold.setAttribute('aria-expanded', String(isOpen))
  }
  fold.addEventListener('click', () => unfold(!nav.classList.contains('open')))
  let chapter = nav.querySelector<HTMLDetailsElement>('details[open]')
  const links = new Map(findAll<HTMLAnchorElement>('nav li a').map((link) => [link.hash.slice(1), link]))
  for (const link of links.values()) link.addEventListener('click', () => unfold(false))
  const places = findAll('section[id], article[id]').filter(({ id }) => links.has(id))
  const present = new Set<Element>()
  const seen = new IntersectionObserver(
    (changes) => {
      for (const { isIntersecting, target } of changes)
        if (isIntersecting) present.add(target)
        else present.delete(target)
      // The last of them: a section stands after the chapter that contains it.
      const link = links.get(places.findLast((place) => present.has(place))?.id ?? '')
      if (!link || link.ariaCurrent) return
      for (const other of links.values()) other.ariaCurrent = null
      link.ariaCurrent = 'true'
      const next = link.closest('details')
      // A chapter that the reader opened stays open.
      if (chapter && next !== chapter) chapter.open = false
      if (next) next.open = true
      chapter = next
      scrollContents(nav, link)
    },
    { rootMargin: '-15% 0px -75%' },
  )
  for (const place of places) seen.observe(place)
}

/** Only the contents may move: on a narrow screen the page itself would jump to them. */
function scrollContents(nav: HTMLElement, link: HTMLElement): void {
  const place = link.offsetTop - nav.scrollTop
  if (place < 0 || place > nav.clientHeight - 40) nav.scrollTop = link.offsetTop - nav.clientHeight / 2
}
