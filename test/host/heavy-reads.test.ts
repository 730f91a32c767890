// Heavy reads of a host's own file: away from the thread that serves every session, in turns, cut off in time.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { StoreFault } from '@msgnet/session-host/process/store-fault.ts'
import {
  type HeavyReadOptions,
  ReadRefused,
  type StoreReader,
} from '@msgnet/session-host/store/heavy-reads.ts'
import { openStore, statement } from '@msgnet/session-host/store/host-store.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { expect, onTestFinished, test } from 'vitest'

/** It never ends by itself. */
const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
const readEndlessly = ({ rows }: StoreReader) => rows(ENDLESS)
const never = new AbortController().signal

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heavy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function createStage(options: HeavyReadOptions = {}) {
  const file = join(createFolder(), 'host.db')
  const store = await openStore(file, () => undefined, options)
  onTestFinished(() => void store.close())
  await store.commit([statement('CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT)')])
  const addWord = (word: string) => store.commit([statement('INSERT INTO words (word) VALUES (?)', word)])
  const countWords = async () => Number((await store.rows('SELECT count(*) AS n FROM words'))[0]?.n)
  /** Starts a read that runs until it is cut off. */
  function startEndless(instance: string) {
    const leaving = new AbortController()
    const read = { hasEnded: false, leave: () => leaving.abort(), refusal: undefined as unknown }
    const ended = store.heavyReads.run(instance, readEndlessly, leaving.signal).catch((error) => {
      read.hasEnded = true
      read.refusal = error
    })
    return Object.assign(read, { ended })
  }
  return { store, file, addWord, countWords, startEndless }
}

test('commits and quick reads end while a heavy read goes on', async () => {
  const { addWord, countWords, startEndless, store } = await createStage({ maxReadMs: 60 * SECOND })
  const reads = [startEndless('one'), startEndless('two')]
  for (let n = 1; n <= 50; n += 1) {
    await addWord(`word ${n}`)
    expect(await countWords()).toBe(n)
  }
  expect([store.heavyReads.turns.underWay, ...reads.map(({ hasEnded }) => hasEnded)]).toEqual([
    2,
    false,
    false,
  ])
  for (const read of reads) read.leave()
  await Promise.all(reads.map(({ ended }) => ended))
  expect(reads.map(({ refusal }) => refusal)).toEqual([expect.any(ReadRefused), expect.any(ReadRefused)])
})

test('what is left of earlier reads does not hold up the process while another one runs', async () => {
  const { store, addWord, startEndless } = await createStage({ maxReadMs: 60 * SECOND })
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  // More than one connection lives for.
  for (let n = 0; n < 120; n += 1)
    await store.heavyReads.run('one', ({ rows }) => rows(`SELECT ${n} AS n, word FROM words`), never)
  const read = startEndless('one')
  await addWord('meanwhile')
  collectGarbage()
  await addWord('after')
  collectGarbage()
  expect(read.hasEnded).toBe(false)
  read.leave()
  await read.ended
})

test('a read is cut off at its limit, and the next one runs', async () => {
  const { store, addWord } = await createStage({ maxReadMs: 50 })
  await addWord('here')
  for (let n = 0; n < 3; n += 1) {
    await expect(store.heavyReads.run('one', readEndlessly, never)).rejects.toMatchObject({
      message: 'This took longer than 0.05 seconds. Search for less at a time.',
      waitMs: SECOND,
    })
    const rows = await store.heavyReads.run('one', ({ rows }) => rows('SELECT word FROM words'), never)
    expect(rows.map((row) => ({ ...row }))).toEqual([{ word: 'here' }])
  }
  expect(store.fault).toBeUndefined()
})

test('a short queue waits for an instance, and the next read is refused with a time to wait', async () => {
  const { store, startEndless } = await createStage({ maxReadMs: 60 * SECOND })
  const first = startEndless('one')
  const waiting = Array.from({ length: 8 }, () => startEndless('one'))
  await expect(store.heavyReads.run('one', readEndlessly, never)).rejects.toMatchObject({
    message: 'Too many searches and lists are waiting.',
    waitMs: expect.any(Number),
  })
  const { turns } = store.heavyReads
  expect([turns.underWay, turns.waiting]).toEqual([1, 8])
  for (const read of [...waiting, first]) read.leave()
  await Promise.all([first, ...waiting].map(({ ended }) => ended))
  expect([turns.underWay, turns.waiting]).toEqual([0, 0])
})

test('the read of another instance goes before the second one of the first', async () => {
  const { store, startEndless } = await createStage({ maxReadMs: 60 * SECOND })
  const running = [startEndless('one'), startEndless('two')]
  const order: string[] = []
  const queue = (instance: string, name: string) =>
    store.heavyReads.run(instance, async () => void order.push(name), never)
  const queued = [
    queue('one', 'second of one'),
    queue('one', 'third of one'),
    queue('three', 'first of three'),
  ]
  running[1]?.leave()
  await running[1]?.ended
  await queued[2]
  expect(order).toEqual(['first of three'])
  running[0]?.leave()
  await Promise.all(queued)
  expect(order).toEqual(['first of three', 'second of one', 'third of one'])
})

test('an instance that has used its minute is refused until it has time again', async () => {
  const { store, startEndless } = await createStage({
    maxReadMs: 60 * SECOND,
    limits: { costPerMinute: 0.001 },
  })
  const read = startEndless('one')
  await store.heavyReads.run('two', async () => undefined, never)
  read.leave()
  await read.ended
  await expect(store.heavyReads.run('one', readEndlessly, never)).rejects.toMatchObject({
    message: 'The searches and lists of the instance have used their time of this minute.',
    waitMs: expect.any(Number),
  })
})

test('a read sees what was committed before it began, through every change of the connection', async () => {
  const { store, addWord } = await createStage()
  for (let n = 1; n <= 250; n += 1) {
    await addWord(`word ${n}`)
    const [row] = await store.heavyReads.run(
      'one',
      ({ rows }) => rows('SELECT max(id) AS n FROM words'),
      never,
    )
    expect(row?.n).toBe(n)
  }
})

test('rows come in their order with their values, also more than a hundred', async () => {
  const { store } = await createStage()
  const statements = Array.from({ length: 350 }, (_, n) =>
    statement('INSERT INTO words (word) VALUES (?)', `word ${n % 7}`),
  )
  await store.commit(statements)
  const sql = 'SELECT id, word, ? AS bytes, NULL AS empty FROM words ORDER BY word DESC, id'
  const read = ({ rows }: Pick<StoreReader, 'rows'>) => rows(sql, new Uint8Array([1, 2]))
  const found = await store.heavyReads.run('one', read, never)
  expect(found).toHaveLength(350)
  expect(found).toEqual(await read(store))
})

test('a fault of the store is one in a heavy read too, and an error in a statement is none', async () => {
  const { store } = await createStage()
  const run = (sql: string) => store.heavyReads.run('one', ({ rows }) => rows(sql), never)
  await expect(run('SELECT 1 FROM nowhere')).rejects.toBeInstanceOf(StoreFault)
  expect(store.fault?.kind).toBe('damaged')
  await expect(run('SELECT letters FROM words')).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
})

test('a store closes under heavy reads: they are cut off, and the log is empty', async () => {
  const { store, file, addWord, startEndless } = await createStage({ maxReadMs: 60 * SECOND })
  const reads = ['one', 'one', 'two', 'three'].map(startEndless)
  await addWord('last')
  await store.close()
  await Promise.all(reads.map(({ ended }) => ended))
  for (const { refusal } of reads) expect(refusal).toBeInstanceOf(ReadRefused)
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  const again = await openStore(file, () => undefined)
  expect(await again.rows('SELECT word FROM words')).toMatchObject([{ word: 'last' }])
  await again.close()
})

test('a quick read is charged what it returns, as the time of a heavy one, and refused beyond the minute', async () => {
  const { store } = await createStage({ limits: { costPerMinute: 100 } })
  const readPage = (characters: number, instance = 'one') =>
    store.heavyReads.runQuick(
      instance,
      async () => 'x'.repeat(characters),
      ({ length }) => length,
    )
  for (let n = 0; n < 100; n += 1) await readPage(100)
  expect(store.heavyReads.turns.cost).toBeLessThan(1)
  let pages = 0
  const refusal = await (async () => {
    for (;;) {
      await readPage(200_000)
      pages += 1
    }
  })().catch((error) => error)
  expect(refusal).toBeInstanceOf(ReadRefused)
  expect(refusal.waitMs).toBeGreaterThan(0)
  // 4 ms each, of 100 and of what a second more or less gives back.
  expect(pages).toBeGreaterThanOrEqual(25)
  expect(pages).toBeLessThan(40)
  await expect(store.heavyReads.run('one', ({ rows }) => rows('select 1'), never)).rejects.toBeInstanceOf(
    ReadRefused,
  )
  expect(await readPage(10, 'other')).toHaveLength(10)
})

test('a process that is killed during a heavy read loses nothing', async () => {
  const folder = createFolder()
  const file = join(folder, 'host.db')
  const program = `
    const { openStore, statement } = await import(${JSON.stringify(join(import.meta.dirname, '../../session-host/store/host-store.ts'))})
    const store = await openStore(${JSON.stringify(file)}, console.error)
    await store.commit([statement('CREATE TABLE words (word TEXT)')])
    void store.heavyReads.run('one', ({ rows }) => rows(${JSON.stringify(ENDLESS)}), new AbortController().signal)
    for (let n = 0; n < 100; n += 1) await store.commit([statement('INSERT INTO words VALUES (?)', 'word ' + n)])
    process.stdout.write('written ' + store.heavyReads.turns.underWay)
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  const [said] = await Promise.race([
    new Promise<unknown[]>((resolve) => child.stdout.once('data', (...args) => resolve(args))),
    exit.then(() => ['ended']),
  ])
  expect(String(said)).toBe('written 1')
  child.kill('SIGKILL')
  await exit
  const store = await openStore(file, () => undefined)
  expect(await store.rows('SELECT count(*) AS n FROM words')).toMatchObject([{ n: 100 }])
  expect(await store.rows('PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }])
  await store.close()
})
