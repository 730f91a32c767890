// Speeds up imports, loaded before everything (`node --import`): of those that name their file, Node looks for nothing.
//
// For each import Node looks whether there is such a file, whether it is a link, and what its package's manifest says. It parses a
// package's whole manifest again for each relative import inside the package. That of drizzle-orm has 180 KB and its files some
// hundred imports: 650 ms of every start, and 150 MB of memory that are hardly freed.
//
// Node stores what it has compiled in `.build/compiled`, without the types, and reads it there the next time.

import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

// A folder that cannot be written costs nothing but the time that it would save.
enableCompileCache(join(import.meta.dirname, '..', '..', '.build', 'compiled'))

const root = new URL('../../', import.meta.url).href
/** What begins the names of our packages; the folders of these are named as they are. */
const SCOPE = '@msgnet/'
const ours = [
  'bridges',
  'cli',
  'console',
  'edge',
  'openapi',
  'session-host',
  'shared',
  'simulator',
  'test',
].map((folder) => `${root}${folder}/`)
/** Packages of others, of which all files that are imported are modules. */
const OTHERS = /\/node_modules\/(@libsql\/client|@libsql\/hrana-client|baileys|drizzle-orm|zod)\//

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions } = context
    const isImport = conditions.includes('import')
    const url = isImport ? (findSource(specifier, parentURL) ?? findOther(specifier, parentURL)) : undefined
    if (url === undefined) return next(specifier, context)
    return { url, format: url.endsWith('.ts') ? 'module-typescript' : 'module', shortCircuit: true }
  },
})

/** Undefined if it is not certainly a source of ours. */
function findSource(specifier: string, parentURL: string): string | undefined {
  if (!specifier.endsWith('.ts') || !parentURL.startsWith(root)) return undefined
  const url = specifier.startsWith(SCOPE)
    ? root + specifier.slice(SCOPE.length)
    : specifier.startsWith('.') && new URL(specifier, parentURL).href
  return url && ours.some((folder) => url.startsWith(folder)) ? url : undefined
}

const findOther = (specifier: string, parentURL: string): string | undefined =>
  specifier.startsWith('.') && specifier.endsWith('.js') && OTHERS.test(parentURL)
    ? new URL(specifier, parentURL).href
    : undefined
