// Folders in the library's multi-file form: a file for the credential and one for each key.

import type { Stats } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { limits, MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { describeUnlinked, readLinkedDevice } from './linked-device.ts'
import type { MovingAccount, MovingSource, StoredRow } from './moving-source.ts'

const CREDS_FILE = 'creds.json'
const ENDING = '.json'
const FILES_AT_ONCE = 32
/** A device that is connected and has anything to do writes more often than this. */
const QUIET_MS = 30 * SECOND

/** `path`: one such folder, or a folder of them. */
export function openFolder(path: string): MovingSource {
  const folder = resolve(path)
  return {
    name: `folder:${folder}`,
    async listAccounts() {
      const names = await listFiles(folder)
      if (names.includes(CREDS_FILE)) return [await readAccount(folder)]
      const folders = await Promise.all(
        names
          .sort()
          .map((name) => join(folder, name))
          .map(findStoredFolder),
      )
      return Promise.all(folders.flatMap((one) => one ?? []).map(readAccount))
    },
    close: async () => undefined,
  }
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    throw describeUnreadable(folder, error as NodeJS.ErrnoException)
  }
}

async function findStoredFolder(folder: string): Promise<string | undefined> {
  const info = await stat(join(folder, CREDS_FILE)).catch(() => undefined)
  return info?.isFile() ? folder : undefined
}

async function readAccount(folder: string): Promise<MovingAccount> {
  const files = (await listFiles(folder)).filter((name) => name.endsWith(ENDING))
  const changed = await findLastChange(folder, files)
  const age = Date.now() - changed.getTime()
  return {
    id: basename(folder),
    name: basename(folder),
    ...(await readDevice(folder, files.length)),
    rows: files.length,
    lastUse: changed,
    inUse:
      age < QUIET_MS ? `its files were changed ${Math.max(0, Math.round(age / SECOND))} s ago` : undefined,
    notMoved: [],
    readRows: () => readFileRows(folder, files),
  }
}

/** Why it cannot be read concerns this account only. */
const readDevice = (folder: string, rows: number) =>
  readStored(join(folder, CREDS_FILE)).then(
    (json) => readLinkedDevice(json, rows),
    (error) => describeUnlinked((error as Error).message),
  )

async function findLastChange(folder: string, files: string[]): Promise<Date> {
  let last = 0
  for await (const info of mapInOrder(files, (name) => findFile(join(folder, name))))
    last = Math.max(last, info?.mtimeMs ?? 0)
  return new Date(last)
}

/** The rows of a folder, the credential first. The folder of a store that has it elsewhere has none. */
export async function* readFileRows(folder: string, files: string[]): AsyncGenerator<StoredRow> {
  const keys = files.filter((name) => name !== CREDS_FILE)
  const ordered = keys.length < files.length ? [CREDS_FILE, ...keys] : keys
  yield* mapInOrder(ordered, async (name) => ({
    name: restoreRowName(name.slice(0, -ENDING.length)),
    json: await readStored(join(folder, name)),
  }))
}

/** Undefined for what is no file, such as a folder or a pipe of that name, and for one that has gone meanwhile. */
async function findFile(path: string): Promise<Stats | undefined> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined
    throw describeUnreadable(path, error)
  })
  return info?.isFile() ? info : undefined
}

/** Empty where there is no file. */
async function readStored(path: string): Promise<string> {
  const info = await findFile(path)
  if (!info) return ''
  if (info.size > limits.maxImportLineBytes)
    throw new OperatorError(
      `${path} is larger than ${limits.maxImportLineBytes / MIB} MiB, which no key of the library is.`,
    )
  return readFile(path, 'utf8').catch((error) => {
    throw describeUnreadable(path, error)
  })
}

const describeUnreadable = (path: string, { code }: NodeJS.ErrnoException): OperatorError =>
  new OperatorError(`${path} cannot be read (${code}).`)

export const listKeyFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(ENDING) && name !== CREDS_FILE)

/** In names of files the library writes `/` as `__`, and `:` as `-`. Only ids in base64 have the one, only those of sender keys the other. */
function restoreRowName(name: string): string {
  if (name.startsWith('app-state-sync-key-')) return name.replaceAll('__', '/')
  if (!name.startsWith('sender-key-') || name.startsWith('sender-key-memory-')) return name
  // The ids of older groups have a dash of their own.
  return name.replace(/--([^-]+)--(\d+)$/, '::$1::$2')
}

/** Some at once, the results in the order of the items. */
async function* mapInOrder<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  for (let at = 0; at < items.length; at += FILES_AT_ONCE)
    yield* await Promise.all(items.slice(at, at + FILES_AT_ONCE).map(map))
}
