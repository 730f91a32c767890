// Queries for uploaded files: insert with their pieces, find, delete.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { DAY, HOUR } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { uploadedFiles, uploadedPieces } from '@msgnet/shared/db/uploaded-file-tables.ts'
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Store } from './database/open-store.ts'

const RETENTION = 30 * DAY
/** After that an upload that was broken off does not go on. */
const MAX_UPLOAD_TIME = HOUR

export type UploadedFile = typeof uploadedFiles.$inferSelect

const DELETE_BEYOND = `delete from uploaded_files where instance_id = ?1 and id in (select id from (select id,
  sum(size) over newest as bytes, row_number() over newest as place from uploaded_files where instance_id = ?1
  window newest as (order by created_at desc, id desc)) where bytes > ?2 or place > ?3)`

/** The oldest of the instance are deleted beyond what it may have. Its pieces follow, and then `completeFile`. */
export const insertFile = (store: Store, row: Omit<UploadedFile, 'complete'>): Statement[] => [
  store.db.insert(uploadedFiles).values(row),
  { sql: DELETE_BEYOND, args: [row.instanceId, limits.maxUploadedBytes, limits.maxUploadedFiles] },
]

/** Inserts none if the file was deleted meanwhile. */
export const insertPiece = (id: string, place: number, bytes: Uint8Array<ArrayBuffer>): Statement => ({
  sql: `insert into uploaded_pieces (file_id, place, bytes) select id, ?2, ?3 from uploaded_files where id = ?1`,
  args: [id, place, bytes],
})

/** Changes no row if the file was deleted meanwhile. */
export const completeFile = (store: Store, id: string): Statement =>
  store.db.update(uploadedFiles).set({ complete: true }).where(eq(uploadedFiles.id, id))

/** Undefined if there is none, or if it is another instance's. `tokenId`: only if this scoped token has stored it. */
export async function findFile(
  store: Store,
  instanceId: string,
  id: string,
  tokenId?: string,
): Promise<UploadedFile | undefined> {
  const isKept = gt(uploadedFiles.createdAt, Date.now() - RETENTION)
  const [row] = await store.db
    .select()
    .from(uploadedFiles)
    .where(
      and(
        eq(uploadedFiles.id, id),
        eq(uploadedFiles.instanceId, instanceId),
        eq(uploadedFiles.complete, true),
        isKept,
        tokenId === undefined ? undefined : eq(uploadedFiles.tokenId, tokenId),
      ),
    )
  return row
}

export async function readPiece(
  store: Store,
  id: string,
  place: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const [row] = await store.db
    .select({ bytes: uploadedPieces.bytes })
    .from(uploadedPieces)
    .where(and(eq(uploadedPieces.fileId, id), eq(uploadedPieces.place, place)))
  return row && new Uint8Array(row.bytes)
}

export const deleteFile = (store: Store, id: string): Statement =>
  store.db.delete(uploadedFiles).where(eq(uploadedFiles.id, id))

/** Deletes those that are too old, and those that were not completed. */
export async function purgeFiles(store: Store, max: number): Promise<number> {
  const now = Date.now()
  const isOver = sql`${uploadedFiles.createdAt} <= ${now - RETENTION}
    or (not ${uploadedFiles.complete} and ${uploadedFiles.createdAt} <= ${now - MAX_UPLOAD_TIME})`
  const some = sql`id in (select id from ${uploadedFiles} where ${isOver} limit ${max})`
  const { rowsAffected } = await store.db.delete(uploadedFiles).where(some)
  return rowsAffected
}
