// The edge's tables of files that callers upload before they send them. Times are milliseconds since the epoch.

import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { instances } from './edge-tables.ts'

export const uploadedFiles = sqliteTable(
  'uploaded_files',
  {
    /** Digits, as programs expect them. */
    id: text().primaryKey(),
    instanceId: text('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    mimetype: text().notNull(),
    fileName: text('file_name').notNull(),
    size: integer().notNull(),
    /** In hex. */
    sha256: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** Whether all of its pieces are there. */
    complete: integer({ mode: 'boolean' }).notNull().default(false),
    /** Id of the scoped token that stored it; empty for others. */
    tokenId: text('token_id').notNull().default(''),
  },
  (table) => [
    index('uploaded_files_by_instance').on(table.instanceId, table.createdAt),
    index('uploaded_files_by_age').on(table.createdAt),
  ],
)

export const uploadedPieces = sqliteTable(
  'uploaded_pieces',
  {
    fileId: text('file_id')
      .notNull()
      .references(() => uploadedFiles.id, { onDelete: 'cascade' }),
    place: integer().notNull(),
    /** Sealed for the context `uploaded-file:<file id>:<place>`. */
    bytes: blob().$type<Uint8Array<ArrayBuffer>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.place] })],
)
