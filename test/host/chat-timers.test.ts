// The timer of a chat as several messages of one batch say it, and as it is said of a person by one id and by another.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChatTimers, type TimedGroups } from '@msgnet/session-host/sessions/chat-timers.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import type { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { DAY, HOUR, SECOND } from '@msgnet/shared/date-time.ts'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const [A_DAY, A_WEEK] = [DAY / SECOND, (7 * DAY) / SECOND]
const [PN, LID] = ['5511600000001@s.msgnet.net', '100000000000001@lid']
const ben = { id: PN, pn: PN, lid: LID }
const hidden = { id: LID, pn: '', lid: LID }

let store: Awaited<ReturnType<typeof openStore>>
let timers: ChatTimers

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'timers-'))
  store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  timers = openTimers()
})

const openTimers = () =>
  new ChatTimers(store as unknown as FencedStore, 'instance', () => ({}) as TimedGroups)

type Step = [chat: typeof ben, seconds: number, setAt: number]

/** As they are learned from the messages of one batch. */
async function learn(...steps: Step[]): Promise<void> {
  const statements: Parameters<typeof store.commit>[0] = []
  const callbacks: (() => void)[] = []
  const batch = {
    addStatement: (statement: (typeof statements)[number]) => void statements.push(statement),
    onCommitted: (work: () => void) => void callbacks.push(work),
  } as unknown as Batch
  for (const [chat, seconds, setAt] of steps) await timers.learn(batch, chat, { seconds, setAt })
  await store.commit(statements)
  for (const work of callbacks) work()
}

/** As this process knows it, and as the next one reads it. */
const findBoth = async () =>
  Promise.all(
    [timers, openTimers()].map(async (one) => (await one.find({ chat: ben, isGroup: false }))?.seconds),
  )

test('a timer that is changed and changed back within one batch is as it was', async () => {
  await learn([ben, A_DAY, HOUR])
  await learn([ben, A_WEEK, 2 * HOUR], [ben, A_DAY, 3 * HOUR])
  expect(await findBoth()).toEqual([A_DAY, A_DAY])
})

test('a timer that is set and removed within one batch is none', async () => {
  await learn([ben, A_DAY, HOUR], [ben, 0, 2 * HOUR])
  expect(await findBoth()).toEqual([undefined, undefined])
})

test('of a person that was named by one id and by another, the timer that was set last counts', async () => {
  await learn([ben, A_DAY, HOUR])
  await learn([hidden, A_WEEK, 2 * HOUR])
  expect(await findBoth()).toEqual([A_WEEK, A_WEEK])
})
