// Collects the pages of a site from docs/ and the declared routes: what they show stays as it is, and links lead to other pages of the site.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import type { OpenapiDocument } from '@msgnet/openapi/document.ts'
import { type ReferencePage, writeReferencePages } from '@msgnet/openapi/markdown/reference-pages.ts'
import { buildGuideIndex, LINK, ROOMS } from './build-guides.ts'

/** Of docs/, each with the pages of ROOMS that are translated. */
const LANGUAGES = ['pt', 'es']

interface SidebarGroup {
  text: string
  items: { text: string; link: string }[]
}
/** By the beginning of an address. */
type Sidebar = Record<string, SidebarGroup[]>

export interface SitePages {
  /** Markdown by its path in the site. */
  texts: Record<string, string>
  /** `llms.txt`: the pages for agents, as Markdown. */
  index: string
  /** By its path in the site: the path of the picture in the project. */
  pictures: Record<string, string>
  /** By language. */
  sidebars: Record<string, Sidebar>
}

/** `base`: where the site is served, with a slash at both ends. `source`: the address of the project's files, for links to code; without it they become their words. */
export function collectSitePages(
  root: string,
  document: OpenapiDocument,
  { base, source }: { base: string; source: string | undefined },
): SitePages {
  const reference = writeReferencePages(document)
  const paths = listPages(root)
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const pictures: SitePages['pictures'] = {}
  const texts = Object.fromEntries(
    [...paths].map(([path, place]) => [place, moveLinks(read(path), path, { paths, source, pictures })]),
  )
  for (const { name, text } of reference) texts[`reference/${name}.md`] = text
  const titles = new Map(Object.entries(texts).map(([place, text]) => [place, findTitle(text)]))
  return {
    texts,
    index: buildGuideIndex(root, new Map([...paths.keys()].map((path) => [path, read(path)])), {
      pages: base,
      reference: `${base}reference/index.md`,
      document: `${base}openapi.json`,
      decisions: `${base}decisions/index.md`,
    }),
    pictures,
    sidebars: {
      en: buildSidebar(read('docs/README.md'), titles, reference),
      ...Object.fromEntries(LANGUAGES.map((language) => [language, buildTranslated(language, titles)])),
    },
  }
}

/** The path of each page in the project, and that of the site. */
function listPages(root: string): Map<string, string> {
  const paths = new Map([
    ['site/home.md', 'index.md'],
    ['docs/README.md', 'overview.md'],
    ['CHANGELOG.md', 'changelog.md'],
    ['SECURITY.md', 'security.md'],
  ])
  for (const room of [...ROOMS, ...LANGUAGES])
    for (const name of readdirSync(join(root, 'docs', room)))
      if (name.endsWith('.md'))
        paths.set(`docs/${room}/${name}`, name === 'README.md' ? `${room}/index.md` : `${room}/${name}`)
  return paths
}

interface Places {
  paths: ReadonlyMap<string, string>
  source: string | undefined
  pictures: SitePages['pictures']
}

/** `path`: of the page in the project. A picture that it shows is added to `pictures`. */
function moveLinks(text: string, path: string, { paths, source, pictures }: Places): string {
  const own = paths.get(path) ?? ''
  return text.replaceAll(LINK, (link, mark: string, words: string, target: string) => {
    const [file = '', anchor] = target.split('#')
    if (/^[a-z]+:/.test(target) || file === '') return link
    const found = posix.join(dirname(path), file)
    if (mark) {
      const place = `pictures/${basename(found)}`
      pictures[place] = found
      return `![${words}](${leadFrom(own, place)})`
    }
    const page = found === 'README.md' ? 'index.md' : paths.get(found)
    if (page) return `[${words}](${leadFrom(own, page)}${anchor ? `#${anchor}` : ''})`
    return source ? `[${words}](${source}/${found})` : words
  })
}

const leadFrom = (page: string, other: string): string => {
  const way = posix.relative(dirname(page), other)
  return way.startsWith('.') ? way : `./${way}`
}

const findTitle = (text: string): string => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? ''

/** In the order of the tables of docs/README.md; what they do not name follows. */
function buildSidebar(
  overview: string,
  titles: ReadonlyMap<string, string>,
  reference: ReferencePage[],
): Sidebar {
  const named = [...overview.matchAll(LINK)].map(([, , , target = '']) => target.split('#')[0] ?? '')
  const listRoom = (room: string, text: string): Sidebar => {
    const places = [...titles.keys()].filter((place) => place.startsWith(`${room}/`))
    const ordered = new Set([...named.filter((place) => places.includes(place)), ...places])
    const items = [...ordered].map((place) => ({ text: titles.get(place) ?? '', link: toLink(place) }))
    return { [`/${room}/`]: [{ text, items }] }
  }
  const items = reference.map(({ name, title }) => ({ text: title, link: toLink(`reference/${name}.md`) }))
  return {
    ...listRoom('use', 'Call it'),
    ...listRoom('run', 'Run it'),
    ...listRoom('decisions', 'Decisions'),
    '/reference/': [{ text: 'API reference', items }],
  }
}

function buildTranslated(language: string, titles: ReadonlyMap<string, string>): Sidebar {
  const items = [...titles]
    .filter(([place]) => place.startsWith(`${language}/`) && place !== `${language}/index.md`)
    .map(([place, text]) => ({ text, link: toLink(place) }))
  return { [`/${language}/`]: [{ text: titles.get(`${language}/index.md`) ?? '', items }] }
}

const toLink = (place: string): string => `/${place.replace(/(index)?\.md$/, '')}`
