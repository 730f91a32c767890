// Builds the pages that the edge serves, the API's document and the console, again when one of their sources has changed.

import { createHash } from 'node:crypto'
import {
  closeSync,
  type Dirent,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { projectRoot } from './root.ts'

const folder = join(projectRoot, '.build')
/** The modules with the pages. */
export const pages = { documentation: join(folder, 'documentation.js'), console: join(folder, 'console.js') }

/** That it exists says that the sources beside it do not change: those of an image, whose copies have other modification times. */
const FINAL = join(folder, 'final')

/** Sources of the pages. */
const FOLDERS = ['clients/typescript', 'console', 'openapi', 'shared']
/** The installed packages: npm writes the second file at each install. */
const FILES = ['package-lock.json', 'node_modules/.package-lock.json']
const BUILDERS = 'cli/build'

/** Each module's first line is a comment with the fingerprint of the sources that it was built from. */
export async function buildPages(): Promise<void> {
  if (existsSync(FINAL)) return requirePages()
  // Computed before anything is read, so that a change meanwhile gives another fingerprint.
  const mark = `// ${computeFingerprint(projectRoot)}`
  if (Object.values(pages).every((file) => hasMark(file, mark))) return
  // The schemas and the bundler are loaded only when they are needed, because that takes longer than this check.
  const [{ writeDocumentation }, { writeConsole }] = await Promise.all([
    import('./write-documentation.ts'),
    import('./bundle-console.ts'),
  ])
  await writeDocumentation(pages.documentation, mark)
  await writeConsole(pages.console, mark)
}

/** From now on `buildPages` takes the pages as they are. */
export const declareFinal = (): void => writeFileSync(FINAL, '')

/**
 * For an edge that cannot write next to its sources, or that has no sources of the pages. Whether they were built from these sources is not checked:
 * a copy of the files, such as an image, has other modification times. Throws an OperatorError if they were not built.
 */
export function requirePages(): void {
  if (!Object.values(pages).every((file) => existsSync(file)))
    throw new OperatorError('The console and the documentation are not built yet: run npm run build:pages.')
}

/** Whether it is the first line of this file. It is in the file itself because several starts may run at the same time. */
export function hasMark(file: string, mark: string): boolean {
  const line = Buffer.from(`${mark}\n`)
  const head = Buffer.alloc(line.length)
  try {
    const opened = openSync(file, 'r')
    readSync(opened, head)
    closeSync(opened)
  } catch {
    return false
  }
  return head.equals(line)
}

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
