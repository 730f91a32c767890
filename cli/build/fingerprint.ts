// The fingerprint of the sources of the edge's pages: it changes with any file, size or modification time.

import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = ['client', 'console', 'openapi', 'shared']
/** The installed packages: npm writes the second file at each install. */
const FILES = ['package-lock.json', 'node_modules/.package-lock.json']
const BUILDERS = 'cli/build'

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
