// `npm run build:site`: builds the documentation as a site of static files, in `.build/site/out`. site/README.md

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildOpenapiDocument } from '@msgnet/openapi/document.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { projectRoot, readVersion } from './build/root.ts'
import { collectSitePages, type SitePages } from './build/site-pages.ts'

const folder = join(projectRoot, '.build', 'site')
const site = join(projectRoot, 'site')

await runCommand(() => {
  const { values } = parseArgs({
    options: {
      /** Where the site is served, from its host on: `/` or `/name/`. */
      base: { type: 'string', default: '/' },
      /** The address of the project's files, for links to code. */
      source: { type: 'string' },
      /** `name=address` of a version that has a site of its own. */
      version: { type: 'string', multiple: true, default: [] },
    },
  })
  const { base, source, version: versions } = values
  const generator = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js')
  if (!/^\/(.+\/)?$/.test(base)) throw new OperatorError('--base must begin and end with a slash.')
  const unnamed = versions.find((one) => !/^[^=]+=\/.*\/$/.test(one))
  if (unnamed !== undefined)
    throw new OperatorError(`--version must be a name and an address, as in v1.2.3=/name/v1.2.3/: ${unnamed}`)
  if (!existsSync(generator))
    throw new OperatorError('The generator is not installed: run npm ci --prefix site.')
  rmSync(folder, { recursive: true, force: true })
  const document = buildOpenapiDocument()
  writePages(collectSitePages(projectRoot, document, { base, source }), { base, document, versions })
  execFileSync(process.execPath, [generator, 'build', site], { stdio: 'inherit' })
})

/** What the generator takes, and beside it each page as Markdown. */
function writePages(
  { texts, index, pictures, sidebars }: SitePages,
  { base, document, versions }: { base: string; document: object; versions: string[] },
): void {
  const pages = join(folder, 'pages')
  for (const [place, text] of Object.entries(texts)) {
    write(join(pages, place), text)
    write(join(pages, 'public', place), text)
  }
  write(join(pages, 'public', 'llms.txt'), index)
  write(join(pages, 'public', 'openapi.json'), JSON.stringify(document))
  // The pages as Markdown have theirs beside them too.
  for (const [place, path] of Object.entries(pictures))
    for (const root of [pages, join(pages, 'public')]) copy(join(projectRoot, path), join(root, place))
  copy(join(projectRoot, 'console', 'icon.svg'), join(pages, 'public', 'icon.svg'))
  write(
    join(folder, 'site.json'),
    JSON.stringify({
      base,
      version: readVersion(),
      versions: versions.map((one) => one.split('=')),
      sidebars,
    }),
  )
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}
