// Bundles the worker for Cloudflare: without the words that only the documentation has, which is made of the same declarations and is a
// file beside the script. What most requests do not need is a module of its own, which the platform loads when it is first imported.

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { projectRoot } from './root.ts'

/** Of `main` in wrangler.toml, and of the modules beside it. */
const bundled = join(projectRoot, '.build', 'worker')

export async function bundleWorker(): Promise<void> {
  const { metafile } = await build({
    entryPoints: [join(projectRoot, 'edge', 'cloudflare', 'worker.ts')],
    outdir: bundled,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    // As wrangler finds the files of packages.
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['node:*', 'cloudflare:*'],
    alias: {
      '@modelcontextprotocol/server/_shims': join(projectRoot, 'edge', 'cloudflare', 'tool-shims.ts'),
    },
    logLevel: 'silent',
    metafile: true,
    plugins: [dropResponses, dropWords],
  })
  // Modules are named by what is in them: those of an earlier build would be uploaded too.
  const built = Object.keys(metafile.outputs).map((path) => basename(path))
  for (const name of readdirSync(bundled))
    if (!built.includes(name)) rmSync(join(bundled, name), { recursive: true })
}

/** What a response has in it is for the document: a file of such schemas that nothing else uses is left out as a whole. */
const dropResponses: Plugin = {
  name: 'drop-responses',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /[\\/]responses[\\/][\w-]+\.ts$/ }, async ({ path, pluginData, ...place }) => {
      if (pluginData === RESOLVED) return undefined
      return { ...(await resolve(path, { ...place, pluginData: RESOLVED })), sideEffects: false }
    })
  },
}

/** Says that a file was looked for by `dropResponses`. */
const RESOLVED = Symbol('resolved')

const dropWords: Plugin = {
  name: 'drop-words',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/](api|contract)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: path.endsWith(SAMPLE_VALUES)
        ? emptyValues(readFileSync(path, 'utf8'))
        : removeWords(readFileSync(path, 'utf8')),
      loader: 'ts',
    }))
  },
}

const SAMPLE_VALUES = 'sample-values.ts'

/** Exports a placeholder with any field in place of each sample value: nothing in the worker reads what is built from the samples. */
function emptyValues(source: string): string {
  const names = [...source.matchAll(/^export const (\w+)/gm)].map(([, name]) => name)
  return `const any: object = new Proxy(() => '', { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : any) })
export { ${names.map((name) => `any as ${name}`).join(', ')} }`
}

const LITERAL = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60)`
/** By a text, or by the name of one. */
const DESCRIBE = new RegExp(String.raw`\.describe\(\s*(?:${LITERAL}|[\w.]+),?\s*\)`, 'g')
const FIELD = new RegExp(String.raw`\b(?:description|summary|title):\s*${LITERAL}(?:,\s*|(?=\s*\}))`, 'g')

const RESPONSE = new RegExp(String.raw`(\bdescribe(?:Fixed)?Response\(\s*)[\w.]+,\s*${LITERAL}`, 'g')

/** The library's call that makes one: it has no effect, so a schema that nothing uses is left out. */
const SCHEMA = /(?<![\w.])z\.\w+\(/g

/**
 * Of a source with declarations: what describes a field, the schema and the words of a response, the texts of routes and chapters, samples, and
 * rules between fields as the document has them. What is put together stays.
 */
const removeWords = (source: string): string =>
  emptyBrackets(
    source
      .replace(DESCRIBE, '')
      .replace(FIELD, '')
      .replace(RESPONSE, "$1undefined, ''")
      .replace(SCHEMA, '/* @__PURE__ */ $&'),
  )

/** What begins so is emptied up to its bracket. Without an argument `meta` returns nothing, so it goes as a whole. */
const EMPTIED = /\bsamples: \{|\.meta\(/
/** A text, or a bracket. */
const PIECE = new RegExp(`${LITERAL}|[{}()]`, 'g')

function emptyBrackets(source: string): string {
  const found = EMPTIED.exec(source)
  if (!found) return source
  const start = found.index + found[0].length
  const isMeta = found[0] === '.meta('
  let depth = 1
  for (const { 0: piece, index } of source.slice(start).matchAll(PIECE)) {
    depth += '{('.includes(piece) ? 1 : '})'.includes(piece) ? -1 : 0
    if (depth === 0)
      return isMeta
        ? `${source.slice(0, found.index)}${emptyBrackets(source.slice(start + index + 1))}`
        : `${source.slice(0, start)}${emptyBrackets(source.slice(start + index))}`
  }
  throw new Error(`a bracket does not end: ${source.slice(found.index, start + 100)}`)
}
