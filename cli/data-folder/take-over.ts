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
import { toComplaint } from '../settings/faults.ts'
import { Complaint } from '../settings/settings.ts'

const PROGRESS_EVERY_MS = 5000
const MIB = 1 << 20

const databaseDir = (dataDir: string) => join(dataDir, 'database')
const serverFolder = (dataDir: string) => join(databaseDir(dataDir), 'dbs')
const serverFile = (dataDir: string) => join(serverFolder(dataDir), 'default', 'data')
/** The server's folder from the moment when the copy is complete. */
const copiedFolder = (dataDir: string) => `${serverFolder(dataDir)}.copied`

const BARRIER = 'The database is in edge.db now. docs/upgrade.md says how an earlier version gets it back.\n'

/** What else served only the server and the runtime of that time. */
const remainders = (dataDir: string): string[] => [
  ...['metastore', '.version'].map((name) => join(databaseDir(dataDir), name)),
  join(dataDir, 'database-key.pem'),
  join(dataDir, 'database-key.pub.pem'),
  join(dataDir, 'edge'),
]

/** Whether the folder has a database that only the next start takes over. */
export const hasServerDatabase = (dataDir: string): boolean =>
  existsSync(serverFile(dataDir)) || existsSync(copiedFolder(dataDir))

/**
 * Makes `file` from the server's database, if there is one. It can be killed at any moment: the next start copies again, or goes
 * on where the copy was complete. Throws a Complaint if that is not possible, and for a folder that has both.
 */
export async function takeOverDatabase(
  dataDir: string,
  file: string,
  say: (line: string) => void,
): Promise<void> {
  const [draft, server, copied] = [`${file}.tmp`, serverFolder(dataDir), copiedFolder(dataDir)]
  if (existsSync(serverFile(dataDir))) {
    if (existsSync(file))
      throw new Complaint(
        `${databaseDir(dataDir)} has two databases: ${file}, and that of an earlier version in ${server}. Move the one away that is not to be used.`,
      )
    await copyDatabase(serverFile(dataDir), draft, say)
    renameSync(server, copied)
    syncFolder(databaseDir(dataDir))
  }
  if (!existsSync(copied)) return
  if (!existsSync(file)) renameSync(draft, file)
  syncFolder(databaseDir(dataDir))
  // In the folder's place: an earlier version would begin with an empty database, and its host would forget every device.
  writeFileSync(server, BARRIER)
  // The copied folder last: it is the mark that this has not ended.
  for (const path of [...remainders(dataDir), copied]) rmSync(path, { recursive: true, force: true })
  say(`The database is now the file ${file}; the folder ${server} of the earlier version was removed.`)
}

/** In a worker, so that this thread can say how far it is. */
async function copyDatabase(from: string, to: string, say: (line: string) => void): Promise<void> {
  removeDraft(to)
  const size = countMib(from) + countMib(`${from}-wal`)
  say(`Copying the database of the earlier version (${size} MiB) into a file of its own: ${from}`)
  const progress = setInterval(() => say(`  ${countMib(to)} of at most ${size} MiB`), PROGRESS_EVERY_MS)
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
    return new Complaint(`${from} is in use: stop the database server first. Nothing was changed.`)
  const complaint = toComplaint(error)
  return complaint instanceof Complaint
    ? new Complaint(`${from} was not copied, and nothing was changed. ${complaint.message}`)
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
