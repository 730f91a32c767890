// Builds the pages that the edge serves, the API's document and the console, again when one of their sources has changed.

import { createHash } from 'node:crypto'
import {
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { projectRoot } from './root.ts'

const folder = join(projectRoot, '.build')
/** A file for each page, and for each file that a page loads. */
export const pages = join(folder, 'pages')
/** The fingerprint of the sources that they were built from. It is written last. */
export const pagesMark = join(folder, 'pages.mark')

/** That it exists says that the sources beside it do not change: those of an image, whose copies have other modification times. */
const FINAL = 'final'

/** Sources of the pages. */
const FOLDERS = ['clients/typescript', 'console', 'docs', 'edge/uazapi', 'openapi', 'shared']
/** The installed packages: npm writes the last file at each install. */
const FILES = ['README.md', 'package-lock.json', 'node_modules/.package-lock.json']
const BUILDERS = 'cli/build'

/** Whether there are pages of the sources as they are. Throws an OperatorError if there are none, and nothing to build them from. */
export function arePagesBuilt(): boolean {
  if (!existsSync(join(folder, FINAL))) return readMark() === computeFingerprint(projectRoot)
  requirePages()
  return true
}

/** Builds nothing if the pages are up to date. */
export async function buildPages(): Promise<void> {
  if (arePagesBuilt()) return
  // Computed before anything is read, so that a change meanwhile gives another fingerprint.
  const mark = computeFingerprint(projectRoot)
  // The schemas and the bundler are loaded only when they are needed, because that takes longer than this check.
  const [{ buildDocumentation }, { buildConsole }, { buildGuides }] = await Promise.all([
    import('./build-documentation.ts'),
    import('./bundle-console.ts'),
    import('./build-guides.ts'),
  ])
  const files = {
    ...(await buildDocumentation()),
    ...(await buildConsole()),
    ...buildGuides(projectRoot),
  }
  for (const [name, text] of Object.entries(files)) writeBuilt(join(pages, name), text)
  for (const { parentPath, name } of listFiles(pages, true)) {
    const path = join(parentPath, name)
    if (!Object.keys(files).some((known) => join(pages, known) === path)) rmSync(path, { force: true })
  }
  writeBuilt(pagesMark, mark)
}

/** As a whole, because several starts may write it at the same time. Throws an OperatorError if this user cannot write there. */
export function writeBuilt(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Not beside it: another start deletes what it does not know there.
    const draft = `${pages}.${process.pid}`
    writeFileSync(draft, text)
    renameSync(draft, file)
  } catch (error) {
    throw new OperatorError(
      `The pages cannot be built: this user cannot write ${file} (${(error as NodeJS.ErrnoException).code}). Run npm run build:pages once as the owner of the code, or give its folder .build to this user.`,
    )
  }
}

/** From now on `buildPages` takes the pages as they are: those of this project, or of a package with a folder of its own. */
export const declareFinal = (built = folder): void => writeFileSync(join(built, FINAL), '')

/**
 * For an edge that cannot write next to its sources, or that has no sources of the pages. Whether they were built from these sources is not checked:
 * a copy of the files, such as an image, has other modification times. Throws an OperatorError if they were not built.
 */
export function requirePages(): void {
  if (!existsSync(pagesMark))
    throw new OperatorError('The console and the documentation are not built yet: run npm run build:pages.')
}

/** Empty if nothing was built. */
const readMark = (): string => (existsSync(pagesMark) ? readFileSync(pagesMark, 'utf8') : '')

/** The fingerprint of the sources of the edge's pages: it changes with any file, size or modification time. */
export function computeFingerprint(root: string): string {
  const hash = createHash('sha256')
  const addFile = (path: string) => {
    const { size, mtimeMs } = statSync(path)
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  for (const folder of FOLDERS)
    for (const entry of listFiles(join(root, folder), true)) addFile(join(entry.parentPath, entry.name))
  for (const entry of listFiles(join(root, BUILDERS), false)) addFile(join(entry.parentPath, entry.name))
  for (const file of FILES)
    if (statSync(join(root, file), { throwIfNoEntry: false })) addFile(join(root, file))
  return hash.digest('hex').slice(0, 32)
}

const listFiles = (folder: string, recursive: boolean): Dirent[] =>
  readdirSync(folder, { withFileTypes: true, recursive })
    .filter((entry) => entry.isFile())
    .sort((one, other) => (join(one.parentPath, one.name) < join(other.parentPath, other.name) ? -1 : 1))
