// Bundles our own part of the worker for Cloudflare, which wrangler then bundles with the packages: without the words that only the
// documentation has, which is made of the same declarations and is a file beside the script.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { projectRoot } from './root.ts'

/** `main` of wrangler.toml. */
const bundledWorker = join(projectRoot, '.build', 'worker', 'worker.js')

export async function bundleWorker(): Promise<void> {
  await build({
    entryPoints: [join(projectRoot, 'edge', 'cloudflare', 'worker.ts')],
    outfile: bundledWorker,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    logLevel: 'silent',
    plugins: [leavePackages, dropWords],
  })
}

/** What is not ours is wrangler's to find: it knows the platform. */
const leavePackages: Plugin = {
  name: 'leave-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@msgnet/') ? undefined : { path, external: true },
    )
  },
}

const dropWords: Plugin = {
  name: 'drop-words',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/](api|contract)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: removeWords(readFileSync(path, 'utf8')),
      loader: 'ts',
    }))
  },
}

const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60)`
const DESCRIBE = new RegExp(String.raw`\.describe\(\s*${LITERAL},?\s*\)`, 'g')
const FIELD = new RegExp(String.raw`\b(description|summary|title):\s*${LITERAL}`, 'g')

/** Of a source with declarations: what describes a field, and the texts of routes and chapters. What is put together stays. */
export const removeWords = (source: string): string => source.replace(DESCRIBE, '').replace(FIELD, "$1: ''")
