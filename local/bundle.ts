// The edge as one file for the Workers runtime, made anew at every start: it takes less time than finding out whether it must be.

import { mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { writeConsole } from './console.ts'
import { writeDocumentation } from './documentation.ts'

export const projectRoot = dirname(import.meta.dirname)
export const bundledEdge = join(projectRoot, '.build', 'edge.js')

/** `sourceMaps`: in the bundle itself, for whoever debugs it. `described`: the API's document is made anew, too. */
export async function bundleEdge({ sourceMaps = false, described = true } = {}): Promise<string> {
  mkdirSync(dirname(bundledEdge), { recursive: true })
  if (described) writeDocumentation()
  await writeConsole()
  // Starts run side by side in tests: each writes its own file and puts it in place whole.
  const draft = `${bundledEdge}.${process.pid}`
  await build({
    entryPoints: [join(projectRoot, 'edge', 'worker.ts')],
    outfile: draft,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    minifySyntax: true,
    sourcemap: sourceMaps && 'inline',
    logLevel: 'silent',
  })
  renameSync(draft, bundledEdge)
  return bundledEdge
}
