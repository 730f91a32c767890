// Limits of time in a durable object: kept to the millisecond, and no timer is ever cancelled.

import { createDeadlines } from '@msgnet/edge/runtime/deadlines.ts'
import { expect, onTestFinished, test } from 'vitest'
import { readSources } from '../architecture/sources.ts'
import { MovableClock } from '../movable-clock.ts'

/** Deadlines by a clock that stands still between moves; `timers` is how many there have been, and how many of them are set. */
function createStage() {
  const clock = new MovableClock()
  clock.holdTime()
  const timers = { made: 0, set: 0 }
  const after = createDeadlines({
    now: clock.now,
    setTimer(ms, work) {
      timers.made++
      timers.set++
      clock.runAfter(ms, () => {
        timers.set--
        work()
      })
    },
  })
  const late: string[] = []
  const setLimit = (name: string, ms: number) => after(ms, () => late.push(name))
  return { clock, timers, late, after, setLimit }
}

test('deadlines expire in the order of their times, each once', async () => {
  const { clock, late, setLimit } = createStage()
  setLimit('long', 8000)
  setLimit('short', 300)
  setLimit('second', 1000)
  await clock.moveTime(299)
  expect(late).toEqual([])
  await clock.moveTime(1)
  expect(late).toEqual(['short'])
  await clock.moveTime(700)
  expect(late).toEqual(['short', 'second'])
  await clock.moveTime(6999)
  expect(late).toEqual(['short', 'second'])
  await clock.moveTime(1)
  await clock.moveTime(20_000)
  expect(late).toEqual(['short', 'second', 'long'])
})

test('a cancelled deadline does not expire, and a second later no timer is set', async () => {
  const { clock, timers, late, setLimit } = createStage()
  const forget = setLimit('done', 15_000)
  const still = setLimit('still', 15_000)
  await clock.moveTime(400)
  forget()
  still()
  expect(timers.set).toBe(1)
  await clock.moveTime(600)
  expect([late, timers.set]).toEqual([[], 0])
})

test('a thousand cancelled deadlines need one timer a second', async () => {
  const { clock, timers, setLimit } = createStage()
  for (let n = 0; n < 1000; n++) {
    const forget = setLimit('done', 8000)
    await clock.moveTime(10)
    forget()
  }
  expect(timers.made).toBeLessThanOrEqual(11)
})

test('a deadline set while another expires also expires', async () => {
  const { clock, late, after, setLimit } = createStage()
  after(500, () => {
    late.push('outer')
    setLimit('inner', 100)
  })
  await clock.moveTime(600)
  expect(late).toEqual(['outer', 'inner'])
})

test('an error in one deadline does not stop the others', async () => {
  const { clock, late, after, setLimit } = createStage()
  const errors: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => errors.push(error))
  onTestFinished(() => process.setUncaughtExceptionCaptureCallback(null))
  after(500, () => {
    throw new Error('nobody is there')
  })
  setLimit('together', 500)
  setLimit('later', 3000)
  await clock.moveTime(500)
  await clock.moveTime(2500)
  expect(late).toEqual(['together', 'later'])
  expect(errors).toEqual([new Error('nobody is there')])
})

test('code that runs in objects cancels no timer of the runtime', () => {
  const inObjects = readSources().filter(({ path }) =>
    /^edge\/(hosts|delivery|idempotency|store)\//.test(path),
  )
  expect(inObjects.length).toBeGreaterThan(50)
  expect(
    inObjects.filter(({ text }) => /clearTimeout|clearInterval/.test(text)).map(({ path }) => path),
  ).toEqual([])
})

test('every object creates its own deadlines', () => {
  const objects = readSources().filter(
    ({ path, text }) => path.startsWith('edge/') && /class \w+ implements (Link|Courier)Object/.test(text),
  )
  expect(objects.length).toBeGreaterThan(1)
  expect(objects.filter(({ text }) => !text.includes('createDeadlines()')).map(({ path }) => path)).toEqual(
    [],
  )
})
