// Bundles the console into the files that the edge serves, each named by its content.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { clientRoutes } from './client-routes.ts'
import { projectRoot } from './root.ts'

const source = join(projectRoot, 'console')

export interface ConsoleFiles {
  /** The console; its files are named in it. */
  page: string
  /** The page behind a one-time link. */
  linkPage: string
  /** What both pages load: texts by name. */
  files: Record<string, string>
}

export async function bundleConsole(): Promise<ConsoleFiles> {
  const { outputFiles } = await build({
    entryPoints: {
      app: join(source, 'render-app.tsx'),
      link: join(source, 'link-page', 'render-link.tsx'),
      style: join(source, 'style.css'),
    },
    outdir: source,
    bundle: true,
    // Each language is a file of its own, which only those load who read it; and both pages share one.
    splitting: true,
    chunkNames: '[name].[hash]',
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    plugins: [clientRoutes],
  })
  const outputs = outputFiles.map(({ path, text }) => ({ name: basename(path), text }))
  outputs.push({ name: 'icon.svg', text: readFileSync(join(source, 'icon.svg'), 'utf8') })
  const files: ConsoleFiles['files'] = {}
  let page = readFileSync(join(source, 'page.html'), 'utf8')
  let linkPage = readFileSync(join(source, 'link-page', 'link.html'), 'utf8')
  for (const { name, text } of outputs) {
    const fileName = addHash(name, text)
    files[fileName] = text
    page = page.replace(`{${name}}`, `/console/${fileName}`)
    linkPage = linkPage.replace(`{${name}}`, `/console/${fileName}`)
  }
  return { page, linkPage, files }
}

/** The name of a chunk has its hash already, and stands so in the script that imports it. */
function addHash(name: string, text: string): string {
  const [stem = '', ending = '', ...rest] = name.split('.')
  if (rest.length > 0) return name
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return `${stem}.${hash}.${ending}`
}

/** The files for the edge, by name. */
export async function buildConsole(): Promise<Record<string, string>> {
  const { page, linkPage, files } = await bundleConsole()
  const loaded = Object.entries(files).map(([name, text]) => [`console/${name}`, text] as const)
  return { 'console.html': page, 'link.html': linkPage, ...Object.fromEntries(loaded) }
}
