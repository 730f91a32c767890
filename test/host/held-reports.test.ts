// Reports that wait for files: how much is read of them when one file of many has come.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HeldReports } from '@msgnet/session-host/sessions/held-reports.ts'
import { openStore, statement } from '@msgnet/session-host/store/host-store.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import { expect, onTestFinished, test } from 'vitest'

const INSTANCE = 'instance'
const CHATS = 50
const FILES_OF_CHAT = 40

/** The report of a message with a file. */
const createReport = (chatid: string, messageid: string): Omit<EventReport, 'n'> =>
  ({
    t: 'event',
    instance: INSTANCE,
    type: 'messages',
    payload: { chat: { id: chatid }, message: { messageid } },
  }) as unknown as Omit<EventReport, 'n'>

async function createStage() {
  const folder = mkdtempSync(join(tmpdir(), 'held-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  let rowsRead = 0
  const watched = {
    holder: 'host',
    async rows(...query: Parameters<typeof store.rows>) {
      const rows = await store.rows(...query)
      rowsRead += rows.length
      return rows
    },
  }
  const clock = { runAfter: () => () => undefined }
  const held = new HeldReports(
    { store: watched, outbox: { sendStored: () => undefined }, clock },
    INSTANCE,
    () => undefined,
  )
  const hold = (chatid: string, messageid: string) => {
    const report = createReport(chatid, messageid)
    const found = held.listHolds([report], new Set([messageid]))?.get(report)
    return statement(
      'INSERT INTO held_reports (instance, chatid, messageid, until, report) VALUES (?, ?, ?, ?, ?)',
      INSTANCE,
      found?.chatid ?? '',
      found?.messageid ?? '',
      found?.until ?? 0,
      '{"payload":{"message":{}}}',
    )
  }
  /** Ends the wait for a file, and returns how many rows were read for it. */
  async function endWait(messageid: string): Promise<number> {
    const before = rowsRead
    const statements: Parameters<typeof store.commit>[0] = []
    const committed: (() => void)[] = []
    const batch = {
      addStatement: (one: (typeof statements)[number]) => void statements.push(one),
      onCommitted: (callback: () => void) => void committed.push(callback),
    }
    await held.endWaits(batch, new Map([[messageid, undefined]]))
    await store.commit(statements)
    for (const callback of committed) callback()
    return rowsRead - before
  }
  const countHeld = async () => Number((await store.rows('SELECT count(*) AS n FROM held_reports'))[0]?.n)
  return { store, hold, endWait, countHeld }
}

test('the file of one message among thousands that wait reads a few reports of its chat', async () => {
  const { store, hold, endWait, countHeld } = await createStage()
  const chats = Array.from({ length: CHATS }, (_, n) => `${n}@s.msgnet.net`)
  const files = Array.from({ length: FILES_OF_CHAT }, (_, n) => n)
  await store.commit(files.flatMap((n) => chats.map((chat) => hold(chat, `${chat} ${n}`))))
  expect(await countHeld()).toBe(CHATS * FILES_OF_CHAT)
  const chat = chats[7]
  // The first of the chat, one in the middle, which waits for those before it, and those before it.
  const order = [0, 3, 1, 2, ...files.slice(4)]
  const read: number[] = []
  const left: number[] = []
  for (const n of order) {
    read.push(await endWait(`${chat} ${n}`))
    left.push(CHATS * FILES_OF_CHAT - (await countHeld()))
  }
  expect(left.slice(0, 5)).toEqual([1, 1, 2, 4, 5])
  expect(left.at(-1)).toBe(FILES_OF_CHAT)
  expect(Math.max(...read)).toBeLessThan(40)
})
