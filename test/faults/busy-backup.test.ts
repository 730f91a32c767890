// A backup while the edge's file is written to: it has all tables as they were at one moment.
// @module-tag slow

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerLayout, fillServerLayout, type ServerLayout } from './server-layout.ts'

let server: ServerLayout

beforeAll(async () => {
  server = await createServerLayout()
  await fillServerLayout(server)
})
afterAll(() => server.close())

test('a backup of a file in use is consistent', async () => {
  const to = join(server.root, 'busy')
  const edge = new DatabaseSync(server.edgeFile, { timeout: 10_000 })
  edge.exec('pragma journal_mode = wal')
  const [add, count] = [
    edge.prepare(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status)
      values ('event ' || ?1, 'one', ?1, 'messages', 'one', '{}', 1, 1, 'delivered')`),
    edge.prepare("update instances set last_seq = ? where id = 'one'"),
  ]
  let isDone = false
  const ended = server.runScript('backup.ts', '--to', to, '--only', 'edge').finally(() => {
    isDone = true
  })
  let seq = 10_000
  for (; !isDone; await setImmediate()) {
    edge.exec('begin immediate')
    add.run(++seq)
    count.run(seq)
    edge.exec('commit')
  }
  edge.close()
  expect((await ended).status).toBe(0)
  const lines = gunzipSync(readFileSync(join(to, 'edge.ndjson.gz')))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const readColumn = (table: string, column: string): unknown[] => {
    const at = lines.findIndex((line) => line.table === table)
    const position = lines[at].columns.indexOf(column)
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((line) => !Array.isArray(line))
    return rest.slice(0, end < 0 ? undefined : end).map((row) => row[position])
  }
  const lastSeq = Number(readColumn('instances', 'last_seq')[readColumn('instances', 'id').indexOf('one')])
  expect(lastSeq).toBeGreaterThan(10_000)
  expect(lastSeq).toBeLessThan(seq)
  expect(Math.max(...readColumn('events', 'seq').map(Number))).toBe(lastSeq)
})
