// Limits of time in a durable object: kept to the millisecond, and no timer is ever cancelled.

import { expect, onTestFinished, test } from 'vitest'
import { createDeadlines } from '../../edge/deadlines.ts'
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

test('each is called when it is due, whichever was asked for first, and none twice', async () => {
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

test('what was done in time is not called, and a second later nothing is set', async () => {
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

test('a thousand that are done in time make a timer a second', async () => {
  const { clock, timers, setLimit } = createStage()
  for (let n = 0; n < 1000; n++) {
    const forget = setLimit('done', 8000)
    await clock.moveTime(10)
    forget()
  }
  expect(timers.made).toBeLessThanOrEqual(11)
})

test('one that is asked for while another is called is called too', async () => {
  const { clock, late, after, setLimit } = createStage()
  after(500, () => {
    late.push('outer')
    setLimit('inner', 100)
  })
  await clock.moveTime(600)
  expect(late).toEqual(['outer', 'inner'])
})

test('one that fails when it is called keeps no other from being called, then or later', async () => {
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

test('what runs in objects cancels no timer of the runtime', () => {
  const inObjects = readSources().filter(({ path }) => /^edge\/(hosts|delivery|store)\//.test(path))
  expect(inObjects.length).toBeGreaterThan(50)
  expect(
    inObjects.filter(({ text }) => /clearTimeout|clearInterval/.test(text)).map(({ path }) => path),
  ).toEqual([])
})

test('every object has deadlines of its own, which do not cancel either', () => {
  const objects = readSources().filter(
    ({ path, text }) => path.startsWith('edge/') && /class \w+ implements (Link|Courier)Object/.test(text),
  )
  expect(objects.length).toBeGreaterThan(1)
  expect(objects.filter(({ text }) => !text.includes('createDeadlines()')).map(({ path }) => path)).toEqual(
    [],
  )
})
