// Takes over the database that an earlier version kept in a libSQL server's folder: copied into the edge's own file, then removed.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { OperatorError } from '../settings/gateway-settings.ts'
import { toOperatorError } from '../settings/operator-errors.ts'

const PROGRESS_EVERY_MS = 5000
const MIB = 1 << 20

const toDatabaseFolder = (dataDir: string) => join(dataDir, 'database')
const toServerFolder = (dataDir: string) => join(toDatabaseFolder(dataDir), 'dbs')
const toServerFile = (dataDir: string) => join(toServerFolder(dataDir), 'default', 'data')
/** The server's folder from the moment when the copy is complete. */
const toCopyFolder = (dataDir: string) => `${toServerFolder(dataDir)}.copied`

const BARRIER = 'The database is in edge.db now. docs/upgrade.md says how an earlier version gets it back.\n'

/** What else served only the server and the runtime of that time. */
const listObsoleteFiles = (dataDir: string): string[] => [
  ...['metastore', '.version'].map((name) => join(toDatabaseFolder(dataDir), name)),
  join(dataDir, 'database-key.pem'),
  join(dataDir, 'database-key.pub.pem'),
  join(dataDir, 'edge'),
]

/** Whether the folder has a database that only the next start takes over. */
export const hasServerDatabase = (dataDir: string): boolean =>
  existsSync(toServerFile(dataDir)) || existsSync(toCopyFolder(dataDir))

/**
 * Makes `file` from the server's database, if there is one. It can be killed at any moment: the next start copies again, or goes
 * on where the copy was complete. Throws an OperatorError if that is not possible, and for a folder that has both.
 */
export async function importServerDatabase(
  dataDir: string,
  file: string,
  printLine: (line: string) => void,
): Promise<void> {
  const [draft, server, copied] = [`${file}.tmp`, toServerFolder(dataDir), toCopyFolder(dataDir)]
  if (existsSync(toServerFile(dataDir))) {
    if (existsSync(file))
      throw new OperatorError(
        `${toDatabaseFolder(dataDir)} has two databases: ${file}, and that of an earlier version in ${server}. Move the one away that is not to be used.`,
      )
    await copyDatabase(toServerFile(dataDir), draft, printLine)
    renameSync(server, copied)
    syncFolder(toDatabaseFolder(dataDir))
  }
  if (!existsSync(copied)) return
  if (!existsSync(file)) renameSync(draft, file)
  syncFolder(toDatabaseFolder(dataDir))
  // In the folder's place: an earlier version would begin with an empty database, and its host would forget every device.
  writeFileSync(server, BARRIER)
  // The copied folder last: it is the mark that this has not ended.
  for (const path of [...listObsoleteFiles(dataDir), copied]) rmSync(path, { recursive: true, force: true })
  printLine(`The database is now the file ${file}; the folder ${server} of the earlier version was removed.`)
}

/** In a worker, so that this thread can say how far it is. */
async function copyDatabase(from: string, to: string, printLine: (line: string) => void): Promise<void> {
  removeDraft(to)
  const size = countMib(from) + countMib(`${from}-wal`)
  printLine(`Copying the database of the earlier version (${size} MiB) into a file of its own: ${from}`)
  const progress = setInterval(() => printLine(`  ${countMib(to)} of at most ${size} MiB`), PROGRESS_EVERY_MS)
  try {
    const worker = new Worker(new URL('./copy-worker.ts', import.meta.url), { workerData: { from, to } })
    await new Promise<void>((resolve, reject) => worker.once('error', reject).once('exit', () => resolve()))
    syncFile(to)
  } catch (error) {
    removeDraft(to)
    throw describeFailure(error, from)
  } finally {
    clearInterval(progress)
  }
}

function removeDraft(file: string): void {
  for (const end of ['', '-journal']) rmSync(`${file}${end}`, { force: true })
}

/** Of SQLite: another process has the file open. */
const SQLITE_BUSY = 5

function describeFailure(error: unknown, from: string): unknown {
  if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
    return new OperatorError(`${from} is in use: stop the database server first. Nothing was changed.`)
  const complaint = toOperatorError(error)
  return complaint instanceof OperatorError
    ? new OperatorError(`${from} was not copied, and nothing was changed. ${complaint.message}`)
    : error
}

const countMib = (path: string) => Math.ceil((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / MIB)

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
  syncFolder(dirname(path))
}

function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
