// Makes the data folder readable for its owner only, and refuses one of another user that others can read.

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'

const OTHERS_MASK = 0o077
/** The gateway's own entries in it: other files in the folder are not touched. */
const folders = ['database', 'database-server', 'edge', 'host', 'logs', 'simulator']
const files = ['database-key.pub.pem', 'format', 'last-backup.json', 'lock', 'running.json']

/** Makes all files of this process and its parts, existing and new, readable for their owner only. */
export function restrictDataFolder(dataDir: string): void {
  process.umask(OTHERS_MASK)
  runOrRefuse(dataDir, () => createFolders(dataDir))
  const open = lstatSync(dataDir).mode & OTHERS_MASK
  try {
    restrictEntry(dataDir)
    for (const name of [...folders, ...files]) restrictAll(join(dataDir, name))
  } catch {
    if (open)
      throw new OperatorError(
        `Other users can read ${dataDir}, and this user may not change that: set DATA_DIR to another folder.`,
      )
  }
  runOrRefuse(dataDir, () => accessSync(dataDir, constants.W_OK))
}

function runOrRefuse(dataDir: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `DATA_DIR must be a folder that this user may write to: ${dataDir} is not one (${code}).`,
    )
  }
}

/** One by one: with `recursive` Node retries forever where no folder can be made, as under /proc. */
function createFolders(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    return
  }
  createFolders(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

function restrictAll(path: string): void {
  if (!existsSync(path)) return
  restrictEntry(path)
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) restrictAll(join(path, name))
}

function restrictEntry(path: string): void {
  const found = lstatSync(path)
  if (!found.isSymbolicLink() && found.mode & OTHERS_MASK) chmodSync(path, found.mode & 0o7777 & ~OTHERS_MASK)
}
