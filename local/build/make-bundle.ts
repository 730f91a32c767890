// Bundles the edge, with the API description and the console that it serves.

import { mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { writeConsole } from './console.ts'
import { writeDocumentation } from './documentation.ts'

interface Wanted {
  sourceMaps: boolean
  described: boolean
  /** A comment that becomes its first line. */
  mark: string
}

export async function makeBundle(root: string, outfile: string, wanted: Wanted): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true })
  if (wanted.described) writeDocumentation()
  await writeConsole()
  // Tests run several starts at the same time: each writes its own file and renames it into place.
  const draft = `${outfile}.${process.pid}`
  await build({
    entryPoints: [join(root, 'edge', 'cloudflare', 'worker.ts')],
    outfile: draft,
    bundle: true,
    banner: { js: wanted.mark },
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    minifySyntax: true,
    sourcemap: wanted.sourceMaps && 'inline',
    logLevel: 'silent',
  })
  renameSync(draft, outfile)
}
