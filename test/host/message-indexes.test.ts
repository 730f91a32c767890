// The indexes that hold few of the messages: the queries that they are for use them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InStatement } from '@libsql/client'
import { FileReads, HeavyReads } from '@msgnet/session-host/store/heavy-reads.ts'
import { createStore, openStore } from '@msgnet/session-host/store/host-store.ts'
import { listMessages, listUnreadMessages } from '@msgnet/session-host/store/message-store.ts'
import { addReport } from '@msgnet/session-host/store/report-store.ts'
import { Guard } from '@msgnet/session-host/store/store-guard.ts'
import { toInStatement } from '@msgnet/shared/db/prepared-queries.ts'
import { LocalFile } from '@msgnet/shared/node/local-file.ts'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'indexes-'))
const path = join(folder, 'host.db')
const opened = await openStore(path, (error) => {
  throw error
})
await opened.close()
const file = new LocalFile(path)
const executed: InStatement[] = []
const guard = new Guard()
const store = await createStore(
  {
    execute(statement) {
      executed.push(statement)
      return file.execute(statement)
    },
    commit: (statements) => file.commit(statements),
    close: () => file.close(),
  },
  guard,
  new HeavyReads(new FileReads(path, guard)),
  path,
)
afterAll(() => {
  file.close()
  rmSync(folder, { recursive: true })
})

function explain(statement: InStatement): string {
  const { sql, args } = typeof statement === 'string' ? { sql: statement, args: [] } : statement
  const { rows } = file.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args: args ?? [] })
  return rows.map((row) => String(row[3])).join('\n')
}

/** The plan of the first query of `work`. */
async function explainQuery(work: () => Promise<unknown>): Promise<string> {
  executed.length = 0
  await work()
  return explain(executed[0] ?? '')
}

test('unread messages are listed and counted by the index of unread ones', async () => {
  const listing = await explainQuery(() => listUnreadMessages(store, 'one', ['chat'], 10))
  expect(listing).toMatch(/messages USING INDEX messages_unread \(instance=\? AND chatid=\?/)
  const payload = { chat: { id: 'chat', name: '', isGroup: false } }
  const report = { t: 'event', owner: '', type: 'messages', payload } as const
  const counting = explain(toInStatement(addReport('', 'one', report, '{}')))
  expect(counting).toMatch(/u USING COVERING INDEX messages_unread \(instance=\? AND chatid=\?/)
})

test('messages of a track are found by the index of those that have one', async () => {
  const plan = await explainQuery(() =>
    listMessages(store, 'one', { trackId: 'order 1' }, { limit: 10, offset: 0 }),
  )
  expect(plan).toMatch(/messages USING INDEX messages_by_track \(instance=\? AND track_id=\?\)/)
  expect(plan).not.toMatch(/SCAN messages/)
})
