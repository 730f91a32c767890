// Limits of time in a durable object: kept to the millisecond, and no timer is ever cancelled.

import { expect, onTestFinished, test } from 'vitest'
import { makeDeadlines } from '../../edge/deadlines.ts'
import { sources } from '../architecture/sources.ts'
import { movableClock } from '../movable-clock.ts'

/** Deadlines by a clock that stands still between moves; `timers` is how many there have been, and how many of them are set. */
function makeStage() {
  const clock = movableClock()
  clock.hold()
  const timers = { made: 0, set: 0 }
  const after = makeDeadlines({
    now: clock.now,
    after(ms, work) {
      timers.made++
      timers.set++
      clock.after(ms, () => {
        timers.set--
        work()
      })
    },
  })
  const late: string[] = []
  const limit = (name: string, ms: number) => after(ms, () => late.push(name))
  return { clock, timers, late, after, limit }
}

test('each is called when it is due, whichever was asked for first, and none twice', async () => {
  const { clock, late, limit } = makeStage()
  limit('long', 8000)
  limit('short', 300)
  limit('second', 1000)
  await clock.move(299)
  expect(late).toEqual([])
  await clock.move(1)
  expect(late).toEqual(['short'])
  await clock.move(700)
  expect(late).toEqual(['short', 'second'])
  await clock.move(6999)
  expect(late).toEqual(['short', 'second'])
  await clock.move(1)
  await clock.move(20_000)
  expect(late).toEqual(['short', 'second', 'long'])
})

test('what was done in time is not called, and a second later nothing is set', async () => {
  const { clock, timers, late, limit } = makeStage()
  const forget = limit('done', 15_000)
  const still = limit('still', 15_000)
  await clock.move(400)
  forget()
  still()
  expect(timers.set).toBe(1)
  await clock.move(600)
  expect([late, timers.set]).toEqual([[], 0])
})

test('a thousand that are done in time make a timer a second', async () => {
  const { clock, timers, limit } = makeStage()
  for (let n = 0; n < 1000; n++) {
    const forget = limit('done', 8000)
    await clock.move(10)
    forget()
  }
  expect(timers.made).toBeLessThanOrEqual(11)
})

test('one that is asked for while another is called is called too', async () => {
  const { clock, late, after, limit } = makeStage()
  after(500, () => {
    late.push('outer')
    limit('inner', 100)
  })
  await clock.move(600)
  expect(late).toEqual(['outer', 'inner'])
})

test('one that fails when it is called keeps no other from being called, then or later', async () => {
  const { clock, late, after, limit } = makeStage()
  const thrown: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => thrown.push(error))
  onTestFinished(() => process.setUncaughtExceptionCaptureCallback(null))
  after(500, () => {
    throw new Error('nobody is there')
  })
  limit('together', 500)
  limit('later', 3000)
  await clock.move(500)
  await clock.move(2500)
  expect(late).toEqual(['together', 'later'])
  expect(thrown).toEqual([new Error('nobody is there')])
})

test('what runs in objects cancels no timer of the runtime', () => {
  const inObjects = sources().filter(({ path }) => /^edge\/(hosts|delivery|store)\//.test(path))
  expect(inObjects.length).toBeGreaterThan(50)
  expect(
    inObjects.filter(({ text }) => /clearTimeout|clearInterval/.test(text)).map(({ path }) => path),
  ).toEqual([])
})

test('every object has deadlines of its own, which do not cancel either', () => {
  const objects = sources().filter(
    ({ path, text }) => path.startsWith('edge/') && /class \w+ implements (Link|Courier)Object/.test(text),
  )
  expect(objects.length).toBeGreaterThan(1)
  expect(objects.filter(({ text }) => !text.includes('makeDeadlines()')).map(({ path }) => path)).toEqual([])
})
