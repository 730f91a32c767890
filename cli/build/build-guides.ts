// Makes the pages of docs/ for those who read them at a gateway, as agents do: each as the Markdown that it is, and an index as https://llmstxt.org describes it.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** Of docs/: for callers and operators, and why it is so. Who reads the code has the code. */
const ROOMS = ['use', 'run', 'decisions']
const LINK = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g
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
  const [readme, overview] = ['README.md', 'docs/README.md'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  return { ...Object.fromEntries(pages), 'llms.txt': buildIndex(readme ?? '', overview ?? '', pages) }
}

/** A link to a file that is not served becomes its words. */
const removeDeadLinks = (text: string, path: string, known: ReadonlySet<string>): string =>
  text.replaceAll(LINK, (link, mark: string, words: string, target: string) => {
    const [file = ''] = target.split('#')
    const isKept = /^[a-z]+:/.test(target) || file === '' || known.has(posix.join(dirname(path), file))
    return isKept && mark === '' ? link : words
  })

/** The tables of docs/README.md say what each page is for. */
function buildIndex(readme: string, overview: string, pages: ReadonlyMap<string, string>): string {
  const summary = /\n\n(An HTTP\/JSON gateway.+?)\n\n/s.exec(readme)?.[1]?.replaceAll('\n', ' ')
  if (!summary) throw new Error('README.md has no sentence that begins with "An HTTP/JSON gateway"')
  const listPages = (room: string) =>
    [...overview.matchAll(ROW)].flatMap(([, want = '', cell = '']) =>
      [...cell.matchAll(LINK)].flatMap(([, , , target = '']) => {
        const title = /^# (.+)$/m.exec(pages.get(`docs/${target}`) ?? '')?.[1]
        return title && target.startsWith(`${room}/`) ? `- [${title}](/docs/${target}): ${want}` : []
      }),
    )
  return `# msgnet gateway

> ${summary}

Every JSON route is in the OpenAPI document, with its errors and samples. Paths here are those of this gateway.

## API

- [OpenAPI 3.1](/openapi.json): every route, record, error and event
- [The same as a page](/docs): with samples in five languages

## To call it

${listPages('use').join('\n')}

## To run it

${listPages('run').join('\n')}

## Optional

- [Decisions](/docs/decisions/README.md): why it is so, a page each
`
}
