// Bundles the console into the files that the edge serves, each named by its content.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { clientRoutes } from './client-routes.ts'
import { projectRoot } from './root.ts'

const source = join(projectRoot, 'console')

/** What several of the pages share that are loaded later, and the sign-in, are loaded with the frame: files of their own would be larger. */
const loadedWithFrame = [
  'use-events.ts',
  'fold-text.ts',
  'conversation/bubble-kind.tsx',
  'conversation/can-record.ts',
  'conversation/emoji-dialog.tsx',
  'conversation/people-choice.tsx',
  'conversation/pinned-now.ts',
  'conversation/thumbnail.tsx',
  'sign-in/sign-in-page.tsx',
]

/**
 * A page that is loaded later counts as one that imports the frame, which is loaded before it. Without this the bundler makes a file of its own for
 * each combination of pages that share something, and many small files are larger than a few.
 */
const laterPages: Plugin = {
  name: 'later-pages',
  setup({ onResolve, onLoad }) {
    const frame = join(source, 'shell.tsx')
    const shared = loadedWithFrame.map((file) => join(source, file))
    const later = new Set<string>()
    onResolve({ filter: /\.tsx$/ }, ({ kind, path, importer }) => {
      if (kind === 'dynamic-import') later.add(join(dirname(importer), path))
      return undefined
    })
    onLoad({ filter: /\.tsx$/ }, ({ path }) => {
      const more = path === frame ? shared : later.has(path) ? [frame] : []
      if (more.length === 0) return undefined
      const imports = more.map((file) => `\nimport ${JSON.stringify(file)}`)
      return { contents: readFileSync(path, 'utf8') + imports.join(''), loader: 'tsx' }
    })
  },
}

export interface ConsoleFiles {
  /** The console; its files are named in it. */
  page: string
  /** The pages behind one-time links and that of authorizations, by name. */
  linkPages: Record<string, string>
  /** What all pages load: texts by name. */
  files: Record<string, string>
  /** Of others, whose code is in them. */
  packages: string[]
}

export async function bundleConsole(): Promise<ConsoleFiles> {
  const { outputFiles, metafile } = await build({
    entryPoints: {
      app: join(source, 'render-app.tsx'),
      link: join(source, 'link-page', 'render-link.tsx'),
      portal: join(source, 'portal', 'render-portal.tsx'),
      authorize: join(source, 'authorize', 'render-authorize.tsx'),
      style: join(source, 'style.css'),
    },
    outdir: source,
    bundle: true,
    // Each language is a file of its own, which only those load who read it; and all pages share one.
    splitting: true,
    chunkNames: '[name].[hash]',
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    plugins: [clientRoutes, laterPages],
  })
  const outputs = outputFiles.map(({ path, text }) => ({ name: basename(path), text }))
  outputs.push({ name: 'icon.svg', text: readFileSync(join(source, 'icon.svg'), 'utf8') })
  const files: ConsoleFiles['files'] = {}
  const addresses: [string, string][] = []
  for (const { name, text } of outputs) {
    const fileName = addHash(name, text)
    files[fileName] = text
    addresses.push([`{${name}}`, `/console/${fileName}`])
  }
  const readPage = (...path: string[]) =>
    addresses.reduce(
      (page, [name, address]) => page.replace(name, address),
      preloadParts(readFileSync(join(source, ...path), 'utf8'), metafile),
    )
  return {
    page: readPage('page.html'),
    linkPages: {
      'link.html': readPage('link-page', 'link.html'),
      'portal.html': readPage('portal', 'portal.html'),
      'authorize.html': readPage('authorize', 'authorize.html'),
    },
    files,
    packages: listPackages(Object.keys(metafile.inputs)),
  }
}

const SCRIPT = /<script type="module" src="\{(\w+\.js)\}">/

/** Without this a browser learns from the script of a page which others it begins with, and asks for them only then. */
function preloadParts(page: string, { outputs }: Metafile): string {
  const [script = '', entry] = SCRIPT.exec(page) ?? []
  const parts = new Set<string>()
  const addParts = (path: string | undefined): void => {
    for (const { path: part, kind } of outputs[path ?? '']?.imports ?? []) {
      if (kind !== 'import-statement' || parts.has(part)) continue
      parts.add(part)
      addParts(part)
    }
  }
  addParts(Object.keys(outputs).find((path) => basename(path) === entry))
  const links = [...parts].map((path) => `<link rel="modulepreload" href="/console/${basename(path)}">\n`)
  return page.replace(script, links.join('') + script)
}

const listPackages = (sources: string[]): string[] => {
  const names = sources.flatMap((path) => /.*node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  return [...new Set(names)].sort()
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
  const { page, linkPages, files } = await bundleConsole()
  const loaded = Object.entries(files).map(([name, text]) => [`console/${name}`, text] as const)
  return { 'console.html': page, ...linkPages, ...Object.fromEntries(loaded) }
}
