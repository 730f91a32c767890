// Deletes files that have ended, and local files without a row, which a killed process or a deleted row left.

import { rm } from 'node:fs/promises'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { computeExcess } from '../media/media-shares.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import {
  deleteMediaRow,
  endMediaFile,
  filterKnownMedia,
  hasOtherRows,
  listEndedMedia,
  listOldestFiles,
  readMediaUsage,
} from '../store/media-rows.ts'
import type { StoredMedia } from '../stored-media/stored-media.ts'

const ROWS_AT_ONCE = 100
/** A file that is being written has no other trace yet. */
const MIN_AGE_MS = HOUR

/** Below the limit afterwards, so that not every file at the limit reads all rows. */
const TARGET_SHARE = 0.99

/** Ends the oldest files of those instances that have more than their share, until all have `maxBytes` together. */
export async function endExcessMedia(store: FencedStore, maxBytes: number): Promise<void> {
  const excess = computeExcess(await readMediaUsage(store), maxBytes * TARGET_SHARE)
  for (const [instance, bytes] of excess) await endOldestFiles(store, instance, bytes)
}

async function endOldestFiles(store: FencedStore, instance: string, bytesToFree: number): Promise<void> {
  for (let excess = bytesToFree; excess > 0; ) {
    const oldest = await listOldestFiles(store, instance, ROWS_AT_ONCE)
    if (oldest.length === 0) return
    const statements = []
    for (const { name, bytes } of oldest) {
      if (excess <= 0) break
      statements.push(endMediaFile(name))
      excess -= bytes
    }
    await store.commit(statements)
  }
}

/** Those of `listActive` are being stored now: they are deleted when that has ended. */
export async function deleteEndedMedia(
  media: StoredMedia,
  listActive: () => string[],
  signal: AbortSignal,
): Promise<void> {
  const { store, folder, files } = media
  for (;;) {
    const ended = await listEndedMedia(store, listActive(), ROWS_AT_ONCE)
    for (const row of ended) {
      signal.throwIfAborted()
      // The last row is deleted after its file, so that a process that is killed in between does it again.
      if (!(await hasOtherRows(store, row))) {
        await rm(folder.findIncoming(row.name), { force: true })
        await files.deleteFile(row.name, signal)
      }
      // At once, so that a bucket that fails half way is not asked for the same files again.
      await store.commit(deleteMediaRow(row))
    }
    if (ended.length < ROWS_AT_ONCE) return
  }
}

export async function deleteOrphans({ store, folder }: StoredMedia, signal: AbortSignal): Promise<void> {
  let found: { name: string; path: string }[] = []
  async function deleteUnknown(): Promise<void> {
    const known = await filterKnownMedia(
      store,
      found.map(({ name }) => name),
    )
    for (const { name, path } of found) if (!known.has(name)) await rm(path, { force: true })
    found = []
  }
  for await (const file of folder.listNames(Date.now() - MIN_AGE_MS)) {
    signal.throwIfAborted()
    found.push(file)
    if (found.length === ROWS_AT_ONCE) await deleteUnknown()
  }
  await deleteUnknown()
}
