// The indexes of messages, and of those that wait for their time: the queries that they are for use them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InStatement } from '@libsql/client'
import { FileReads, HeavyReads } from '@msgnet/session-host/store/heavy-reads.ts'
import { createStore, openStore } from '@msgnet/session-host/store/host-store.ts'
import { listMessages, listUnreadMessages } from '@msgnet/session-host/store/message-store.ts'
import { addReport } from '@msgnet/session-host/store/report-store.ts'
import { addScheduled, countScheduled, findDueRows } from '@msgnet/session-host/store/scheduled-store.ts'
import { Guard } from '@msgnet/session-host/store/store-guard.ts'
import { emptyMessage } from '@msgnet/shared/contract/message-requests.ts'
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

const addDue = (instance: string, messageid: string, dueAt: number, fileBytes = 0) =>
  toInStatement(
    addScheduled(store, {
      instance,
      messageid,
      dueAt,
      fileBytes,
      action: 'message.sendText',
      input: {},
      record: { ...emptyMessage, messageid },
    }),
  )

// Before any plan is asked for: its statement stays open, and nothing can be committed then.
file.commit([
  ...Array.from({ length: 100 }, (_, n) => addDue('busy', `busy ${n}`, n)),
  addDue('away', 'away 1', 40),
  addDue('away', 'away 2', 60),
  addDue('quiet', 'quiet 1', 50),
  addDue('counted', 'counted 1', 1),
  addDue('counted', 'counted 2', 2, 40),
])

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

test('the messages that are due next are found by the index of their instances, however many others are due', async () => {
  const find = (until: Record<string, number>, postponed: number[] = []) =>
    findDueRows(store, { until, postponed, max: 10 })
  expect(await explainQuery(() => find({ quiet: 200 }))).toMatch(
    /SEARCH scheduled USING COVERING INDEX scheduled_by_instance \(instance=\? AND due_at<\?\)/,
  )
  expect(await explainQuery(() => find({ quiet: 200 }))).not.toMatch(/SCAN (scheduled|row)|scheduled_by_time/)
  // One of each, the first that is due.
  expect((await find({ quiet: 200, busy: 200, away: 30 })).map(({ messageid }) => messageid)).toEqual([
    'busy 0',
    'quiet 1',
  ])
  expect(await find({ away: 45 })).toEqual([{ instance: 'away', messageid: 'away 1' }])
  const postponed = file
    .execute("SELECT n FROM scheduled WHERE messageid = 'away 1'")
    .rows.map((row) => Number(row[0]))
  expect(await find({ away: 100 }, postponed)).toEqual([{ instance: 'away', messageid: 'away 2' }])
  expect(await findDueRows(store, { until: { quiet: 200, busy: 200 }, postponed: [], max: 1 })).toHaveLength(
    1,
  )
})

test('the messages that wait and the bytes of their files are counted in indexes alone', async () => {
  const plan = await explainQuery(() => countScheduled(store, 'counted'))
  expect(plan.match(/SEARCH scheduled.*/g)).toEqual([
    expect.stringMatching(/USING COVERING INDEX scheduled_by_\w+ \(instance=\?\)/),
    expect.stringMatching(/USING COVERING INDEX scheduled_with_file \(instance=\? AND file_bytes>\?\)/),
  ])
  expect(await countScheduled(store, 'counted')).toEqual({ waiting: 2, bytes: 40 })
})
