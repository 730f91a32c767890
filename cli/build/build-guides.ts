// Makes the pages of docs/ for those who read them at a gateway, as agents do: each as the Markdown that it is, and an index as https://llmstxt.org describes it.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** Of docs/: for callers and operators, and why it is so. Who reads the code has the code. */
export const ROOMS = ['use', 'run', 'decisions']
/** Of a page: `!` for a picture, its words, its target. */
export const LINK = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g
const ROW = /^\| (.+?) \| (.+) \|$/gm

/** By the path below which the edge serves it. */
export function buildGuides(root: string): Record<string, string> {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(join(root, 'docs', room))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${room}/${name}`),
  )
  const known = new Set(paths)
  const pages = new Map(
    paths.map((path) => [path, removeDeadLinks(readFileSync(join(root, path), 'utf8'), path, known)]),
  )
  const served = {
    pages: '/docs/',
    reference: '/docs',
    document: '/openapi.json',
    decisions: '/docs/decisions/README.md',
  }
  return { ...Object.fromEntries(pages), 'llms.txt': buildGuideIndex(root, pages, served) }
}

export interface GuideAddresses {
  /** With which those of the other pages begin. */
  pages: string
  reference: string
  document: string
  decisions: string
}

/** A link to a file that is not served becomes its words. */
const removeDeadLinks = (text: string, path: string, known: ReadonlySet<string>): string =>
  text.replaceAll(LINK, (link, mark: string, words: string, target: string) => {
    const [file = ''] = target.split('#')
    const isKept = /^[a-z]+:/.test(target) || file === '' || known.has(posix.join(dirname(path), file))
    return isKept && mark === '' ? link : words
  })

/** The tables of docs/README.md say what each of `pages`, by its path in the project, is for. */
export function buildGuideIndex(
  root: string,
  pages: ReadonlyMap<string, string>,
  addresses: GuideAddresses,
): string {
  const [readme = '', overview = ''] = ['README.md', 'docs/README.md'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  const summary = /\n\n(An HTTP\/JSON gateway.+?)\n\n/s.exec(readme)?.[1]?.replaceAll('\n', ' ')
  if (!summary) throw new Error('README.md has no sentence that begins with "An HTTP/JSON gateway"')
  const listPages = (room: string) =>
    [...overview.matchAll(ROW)].flatMap(([, want = '', cell = '']) =>
      [...cell.matchAll(LINK)].flatMap(([, , , target = '']) => {
        const title = /^# (.+)$/m.exec(pages.get(`docs/${target}`) ?? '')?.[1]
        return title && target.startsWith(`${room}/`)
          ? `- [${title}](${addresses.pages}${target}): ${want}`
          : []
      }),
    )
  return `# msgnet gateway

> ${summary}

Every JSON route is in the OpenAPI document, with its errors and samples.

## API

- [OpenAPI 3.1](${addresses.document}): every route, record, error and event
- [The same as a page](${addresses.reference}): with samples in five languages

## To call it

${listPages('use').join('\n')}

## To run it

${listPages('run').join('\n')}

## Optional

- [Decisions](${addresses.decisions}): why it is so, a page each
`
}
