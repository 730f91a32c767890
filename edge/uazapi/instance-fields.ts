// Texts that programs of uazapi keep with an instance, such as the id of their customer, and read in its record.

import { instanceFields } from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { DialectStore } from '../dialect/event-format.ts'

const MAX_LENGTH = 1000

const isFieldText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value.length <= MAX_LENGTH) || Number.isFinite(value)

/** Some programs send their ids as JSON numbers. An empty text is a value too: it clears the field. */
const FieldText = z
  .custom<string | number>(isFieldText, `must be a text of at most ${MAX_LENGTH} characters`)
  .transform(String)
  .optional()

/** `systemName` is set at the creation only. */
export const adminFields = { adminField01: FieldText, adminField02: FieldText }
export const creationFields = { ...adminFields, systemName: FieldText }

type Fields = Partial<Record<keyof typeof creationFields, string>>
const noFields = { adminField01: '', adminField02: '', systemName: '' }
const names = Object.keys(noFields) as (keyof Fields)[]

/** Those of the body; what it leaves out stays. */
export function buildFieldWrites(store: DialectStore, instanceId: string, body: Fields): Statement[] {
  const given = names.filter((name) => body[name] !== undefined)
  if (given.length === 0) return []
  const fields = Object.fromEntries(given.map((name) => [name, body[name] ?? '']))
  return [
    store.db
      .insert(instanceFields)
      .values({ instanceId, fields })
      .onConflictDoUpdate({
        target: instanceFields.instanceId,
        set: { fields: sql`json_patch(fields, excluded.fields)` },
      }),
  ]
}

/** An instance as a response shows it. */
export interface InstanceRecord {
  id: string
  [name: string]: unknown
}

const isInstance = (value: unknown): value is InstanceRecord =>
  typeof value === 'object' && value !== null && 'id' in value && 'msg_delay_min' in value

/** Adds the fields that were set to the records of a response, in place. */
export async function addInstanceFields(store: DialectStore, response: unknown): Promise<void> {
  const { instance, instances } = (response ?? {}) as { instance?: unknown; instances?: unknown }
  const shown = [response, instance, ...(Array.isArray(instances) ? instances : [])].filter(isInstance)
  if (shown.length === 0) return
  const fields = await readFields(store, shown)
  for (const record of shown) Object.assign(record, fields.get(record.id))
}

/** Adds all fields to the records of a list, and the times under its names, in place. */
export async function addListedFields(store: DialectStore, records: InstanceRecord[]): Promise<void> {
  const fields = await readFields(store, records)
  for (const record of records) {
    const times = { created: record.createdAt, updated: record.updatedAt }
    Object.assign(record, noFields, fields.get(record.id), times)
  }
}

async function readFields(store: DialectStore, records: InstanceRecord[]) {
  const ids = JSON.stringify(records.map(({ id }) => id))
  const these = sql`${instanceFields.instanceId} in (select value from json_each(${ids}))`
  const rows = await store.db.select().from(instanceFields).where(these)
  return new Map(rows.map((row) => [row.instanceId, row.fields]))
}
