// Rows of the database as objects: the same that drizzle itself makes of them, whatever a query selects.

import type { ResultSet } from '@libsql/client/web'
import { createDrizzle } from '@msgnet/shared/db/drizzle.ts'
import { events, hosts, instances, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { createRowMapper, type MappedQuery } from '@msgnet/shared/db/row-mapper.ts'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'

const db = createDrizzle({})
const { id, connected, pairing, lastSeq } = instances
const joined = eq(webhooks.instanceId, instances.id)

const bytes = Uint8Array.of(1, 2, 255).buffer
const failure = { eventId: 'e', type: 'messages', at: 1, attempts: 2, status: 500, error: 'status_500' }
const inner = {
  url: webhooks.url,
  enabled: webhooks.enabled,
  lastFailure: webhooks.lastFailure,
}

test.each<[string, { prepare(): unknown }, unknown[][]]>([
  [
    'columns of a table: numbers, truths, bytes and nothing',
    db.select({ id, connected, pairing, lastSeq }).from(instances),
    [
      ['a', 1, bytes, 7],
      ['b', 0, null, 0],
    ],
  ],
  [
    'what is computed, mapped and not',
    db
      .select({ held: sql<boolean>`1`.mapWith(Boolean), count: sql<number>`2`, named: sql`3`.as('named') })
      .from(hosts),
    [
      [1, 5, 'x'],
      [0, null, null],
    ],
  ],
  [
    'a table of its own beside a column, with JSON in it',
    db.select({ name: instances.name, inner }).from(webhooks).innerJoin(instances, joined),
    [
      ['Shop', 'https://a.example', 1, JSON.stringify(failure)],
      ['Shop', '', 0, null],
    ],
  ],
  [
    'a table whose row may not be there, and is not',
    db
      .select({ name: instances.name, event: events })
      .from(instances)
      .leftJoin(events, eq(events.instanceId, id)),
    [['Shop', ...Object.keys(getTableColumns(events)).map(() => null)]],
  ],
  [
    'columns beside one another of a table whose row may not be there',
    db
      .select({ id, until: hosts.leaseUntil })
      .from(instances)
      .leftJoin(hosts, eq(hosts.id, instances.hostId)),
    [
      ['a', null],
      ['b', 12],
    ],
  ],
  ['no row', db.select({ id }).from(instances), []],
])('%s', (_, query, rows) => {
  const prepared = query.prepare() as MappedQuery
  const result = { rows } as unknown as ResultSet
  const expected = prepared.mapResult(result, true)
  expect(expected).toHaveLength(rows.length)
  expect(createRowMapper(prepared)(result)).toStrictEqual(expected)
})
