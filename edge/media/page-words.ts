// Reads what a web page says of itself: title, description and picture, from its title and its meta tags. It builds no tree, which a page
// of nothing but open tags would make very deep, and looks at each character a few times at most.

import { decodeEntities } from './html-entities.ts'

export interface PageWords {
  title: string
  description: string
  /** As it stands in the page; empty if it names none. */
  image: string
}

/** The first of a list that a page has is taken; `<title>` is its own title. */
const NAMES = {
  title: ['og:title', 'twitter:title', '<title>'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'],
}
const KNOWN = new Set(Object.values(NAMES).flat())
/** Of one value, in characters as the page writes them; what is longer is cut off. */
const MAX_LENGTH = 8192

const TAG = /<(meta|title|script|style|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])/iy
const ATTRIBUTE = /[\s/]+([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/y

export function readPageWords(html: string): PageWords {
  const found = new Map<string, string>()
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) at = readTag(html, at, found)
  const choose = (names: string[]) => names.map((name) => found.get(name)).find(Boolean) ?? ''
  return { title: choose(NAMES.title), description: choose(NAMES.description), image: choose(NAMES.image) }
}

/** Returns where to go on. */
function readTag(html: string, at: number, found: Map<string, string>): number {
  if (html.startsWith('<!--', at)) return findEnd(html, html.indexOf('-->', at + 4))
  TAG.lastIndex = at
  const name = TAG.exec(html)?.[1]?.toLowerCase()
  if (!name) return at + 1
  if (name === 'meta') return readMeta(html, TAG.lastIndex, found)
  // What is in these is text, whatever it looks like.
  const from = findEnd(html, html.indexOf('>', at)) + 1
  const closing = new RegExp(`</${name}`, 'gi')
  closing.lastIndex = from
  const end = findEnd(html, closing.exec(html)?.index ?? -1)
  if (name === 'title') addWords(found, '<title>', html.slice(from, end))
  return end
}

const findEnd = (html: string, at: number): number => (at < 0 ? html.length : at)

function readMeta(html: string, at: number, found: Map<string, string>): number {
  const values = new Map<string, string>()
  let end = at
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const attribute = ATTRIBUTE.exec(html)
    if (!attribute) break
    const [, name = '', double, single, bare = ''] = attribute
    end = ATTRIBUTE.lastIndex
    if (name.length <= 'property'.length) values.set(name.toLowerCase(), double ?? single ?? bare)
  }
  const name = values.get('property') ?? values.get('name') ?? ''
  addWords(found, name.trim().toLowerCase(), values.get('content') ?? '')
  return end
}

function addWords(found: Map<string, string>, name: string, written: string): void {
  if (!KNOWN.has(name) || found.has(name)) return
  const words = decodeEntities(written.slice(0, MAX_LENGTH)).replace(/\s+/g, ' ').trim()
  if (words) found.set(name, words)
}
