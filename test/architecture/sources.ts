// The project's own source files, as git would list them, with what each imports.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readWorkspaces } from '../link-packages.ts'

export const root = join(import.meta.dirname, '..', '..')

/** The folder of each package of this project, by its name. */
export const packageFolders = new Map<string, string>(
  [...readWorkspaces()].map(([name, folder]) => [`@msgnet/${name}`, folder] as const),
)

/** Of `@msgnet/shared/jid.ts` it is `shared/jid.ts`. */
function findPath(target: string): string {
  const [scope, name, ...rest] = target.split('/')
  const folder = packageFolders.get(`${scope}/${name}`)
  return folder === undefined ? target : join(folder, ...rest)
}

export interface Source {
  /** Path from the project's root. */
  path: string
  text: string
  /** Paths from the root for the project's own, bare names for packages. */
  imports: string[]
  /** Those of them that are loaded when it runs: not for their types alone. */
  loads: string[]
}

const TYPE_IMPORT = /^import type [^']*'[^']+'/gm
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)'([^']+)'/gm

function listFiles(...patterns: string[]): string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
  })
  return list
    .toString()
    .split('\n')
    .filter((path) => path && existsSync(join(root, path)))
}

/** Every page of the docs, the README and its like. */
export function readPages(): { path: string; text: string }[] {
  return listFiles('*.md').map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export function readSources(): Source[] {
  return listFiles('*.ts', '*.tsx').map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const findImports = (code: string) =>
      [...code.matchAll(IMPORT)].map(([, target = '']) =>
        target.startsWith('.') ? relative(root, join(root, dirname(path), target)) : findPath(target),
      )
    return { path, text, imports: findImports(text), loads: findImports(text.replaceAll(TYPE_IMPORT, '')) }
  })
}
