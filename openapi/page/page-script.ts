// What moves on the page: search, the present place in the contents, languages, copying, and the server's own address in the commands.

import { tryScript } from './try-it.ts'

export const script = `
const all = (selector, from = document) => [...from.querySelectorAll(selector)]
const search = document.querySelector('input[type=search]')

const here = location.protocol.startsWith('http') && location.origin
const origin = document.documentElement.dataset.origin || here
if (origin) for (const place of all('.origin')) place.textContent = origin

// All that a section says: fields, codes, examples. Read once, at the first search.
const texts = new Map()
const textOf = (section) => {
  if (!texts.has(section)) texts.set(section, (section.dataset.words + ' ' + section.textContent).toLowerCase())
  return texts.get(section)
}

search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const fits = (element) => words.every((word) => textOf(element).includes(word))
  const found = new Map(all('section[data-words]').map((section) => [section.id, fits(section)]))
  for (const element of all('[data-words]')) element.hidden = !(found.get(element.id || element.querySelector('a').hash.slice(1)))
  for (const list of all('nav ul')) {
    const empty = all('li', list).every((item) => item.hidden)
    list.hidden = list.previousElementSibling.hidden = empty
  }
  for (const article of all('article')) article.hidden = all('section', article).every((section) => section.hidden)
  document.querySelector('header').hidden = words.length > 0
  document.querySelector('.nothing').hidden = all('article').some((article) => !article.hidden)
  if (words.length) scrollTo(0, 0)
})

addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) { event.preventDefault(); search.focus() }
  if (event.key === 'Escape') { search.value = ''; search.dispatchEvent(new Event('input')); search.blur() }
})

addEventListener('hashchange', () => {
  const target = document.getElementById(location.hash.slice(1))
  if (target?.closest('[hidden]')) { search.value = ''; search.dispatchEvent(new Event('input')); target.scrollIntoView() }
})

addEventListener('click', async ({ target }) => {
  if (!target.matches?.('.copy')) return
  const shown = all('pre', target.closest('figure')).find((one) => one.checkVisibility())
  await navigator.clipboard.writeText(shown.textContent)
  target.textContent = 'copied'
  setTimeout(() => { target.textContent = 'copy' }, 1200)
})

const choose = (language) => {
  document.documentElement.dataset.language = language
  for (const button of all('.choice')) button.setAttribute('aria-pressed', String(button.dataset.choose === language))
}
choose('curl')
addEventListener('click', ({ target }) => {
  if (!target.matches?.('.choice')) return
  // What is above grows or shrinks: the place that was pressed stays under the hand.
  const before = target.getBoundingClientRect().top
  choose(target.dataset.choose)
  scrollBy(0, target.getBoundingClientRect().top - before)
})

const nav = document.querySelector('nav')
const fold = nav.querySelector('.fold')
const unfold = (open) => { nav.classList.toggle('open', open); fold.setAttribute('aria-expanded', String(open)) }
fold.addEventListener('click', () => unfold(!nav.classList.contains('open')))
nav.addEventListener('click', ({ target }) => { if (target.closest('.contents a')) unfold(false) })
const links = new Map(all('nav li a').map((link) => [link.hash.slice(1), link]))
const seen = new IntersectionObserver((changes) => {
  for (const { isIntersecting, target } of changes) {
    if (!isIntersecting) continue
    for (const link of links.values()) link.removeAttribute('aria-current')
    const link = links.get(target.id)
    if (!link) continue
    link.setAttribute('aria-current', 'true')
    // Only the contents may move: on a narrow screen the page itself would jump to them.
    const place = link.offsetTop - nav.scrollTop
    if (place < 0 || place > nav.clientHeight - 40) nav.scrollTop = link.offsetTop - nav.clientHeight / 2
  }
}, { rootMargin: '-15% 0px -75%' })
for (const section of all('section')) seen.observe(section)
${tryScript}`
