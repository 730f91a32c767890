// Bundles the console into the files that the edge serves, each named by its content.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { clientRoutes } from './client-routes.ts'
import { projectRoot } from './root.ts'
import { writeModule } from './write-module.ts'

const source = join(projectRoot, 'console')

export interface ConsoleFiles {
  /** The one page; its files are named in it. */
  page: string
  files: Record<string, { type: string; text: string }>
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

export async function bundleConsole(): Promise<ConsoleFiles> {
  const { outputFiles } = await build({
    entryPoints: { app: join(source, 'render-app.tsx'), style: join(source, 'style.css') },
    outdir: source,
    bundle: true,
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
  for (const { name, text } of outputs) {
    const [stem = '', ending = ''] = name.split('.')
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
    const fileName = `${stem}.${hash}.${ending}`
    files[fileName] = { type: types[ending] ?? 'text/plain', text }
    page = page.replace(`{${name}}`, `/console/${fileName}`)
  }
  return { page, files }
}

/** `mark`: a comment that becomes the module's first line. */
export async function writeConsole(file: string, mark: string): Promise<void> {
  writeModule(file, mark, await bundleConsole())
}
