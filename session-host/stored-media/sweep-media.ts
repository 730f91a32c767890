// Deletes files that have ended, and local files without a row, which a killed process or a deleted row left.

import { rm } from 'node:fs/promises'
import { HOUR } from '../../shared/date-time.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import {
  deleteMediaRow,
  endMedia,
  filterKnownMedia,
  listEndedMedia,
  listOldestMedia,
} from '../store/media-rows.ts'
import type { StoredMedia } from './stored-media.ts'

const ROWS_AT_ONCE = 100
/** A file that is being written has no other trace yet. */
const MIN_AGE_MS = HOUR

/** Ends the oldest files, together at least so many bytes. */
export async function endOldestMedia(store: FencedStore, bytesToFree: number): Promise<void> {
  for (let excess = bytesToFree; excess > 0; ) {
    const oldest = await listOldestMedia(store, ROWS_AT_ONCE)
    if (oldest.length === 0) return
    const statements = []
    for (const { instance, messageid, bytes } of oldest) {
      if (excess <= 0) break
      statements.push(endMedia(instance, messageid))
      excess -= bytes
    }
    await store.commit(statements)
  }
}

export async function deleteEndedMedia(media: StoredMedia, signal: AbortSignal): Promise<void> {
  const { store, folder, files } = media
  for (;;) {
    const ended = await listEndedMedia(store, ROWS_AT_ONCE)
    for (const row of ended) {
      signal.throwIfAborted()
      await rm(folder.findIncoming(row.name), { force: true })
      await files.deleteFile(row.name, signal)
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
