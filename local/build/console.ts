// Bundles the console into the files that the edge serves, each named by its content. Also a command that `wrangler deploy` runs.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { clientRoutes } from './client-routes.ts'

const root = join(import.meta.dirname, '..', '..')
const source = join(root, 'console')

export interface Console {
  /** The one page; its files are named in it. */
  page: string
  files: Record<string, { type: string; text: string }>
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

export async function bundleConsole(): Promise<Console> {
  const { outputFiles } = await build({
    entryPoints: { app: join(source, 'main.tsx'), style: join(source, 'style.css') },
    ...{ outdir: source, bundle: true, minify: true, write: false, format: 'esm', target: 'es2023' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'silent', plugins: [clientRoutes] },
  })
  const made = outputFiles.map(({ path, text }) => ({ name: basename(path), text }))
  made.push({ name: 'icon.svg', text: readFileSync(join(source, 'icon.svg'), 'utf8') })
  const files: Console['files'] = {}
  let page = readFileSync(join(source, 'page.html'), 'utf8')
  for (const { name, text } of made) {
    const [stem = '', ending = ''] = name.split('.')
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
    const served = `${stem}.${hash}.${ending}`
    files[served] = { type: types[ending] ?? 'text/plain', text }
    page = page.replace(`{${name}}`, `/console/${served}`)
  }
  return { page, files }
}

export async function writeConsole(): Promise<void> {
  const exported = Object.entries(await bundleConsole())
  const folder = join(root, '.build')
  mkdirSync(folder, { recursive: true })
  // Tests run several starts at the same time: each writes its own file and renames it into place.
  const draft = join(folder, `console.js.${process.pid}`)
  writeFileSync(
    draft,
    exported.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`).join(''),
  )
  renameSync(draft, join(folder, 'console.js'))
}

if (import.meta.main) await writeConsole()
