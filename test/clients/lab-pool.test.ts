// Which laboratory a test gets, how many there are, and what is said meanwhile; the laboratories themselves are stand-ins.
// @module-tag slow

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { LabPool } from '@msgnet/cli/lab/lab-pool.ts'
import { serveLab } from '@msgnet/cli/lab/lab-server.ts'
import type { Lab } from '@msgnet/cli/lab/lab-world.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'

/** Starts that end when the test says so. */
async function openPool(spare: number) {
  const starts: { finish(): void; fail(error: Error): void; isSpare: boolean }[] = []
  const open = new Set<Lab>()
  const lines: string[] = []
  const start = (signal: AbortSignal, isSpare: boolean) => {
    const started = Promise.withResolvers<Lab>()
    const lab = { close: async () => void open.delete(lab) } as unknown as Lab
    const finish = () => {
      open.add(lab)
      started.resolve(lab)
    }
    signal.addEventListener('abort', () => started.reject(new Error('ended')))
    starts.push({ finish, fail: started.reject, isSpare })
    return started.promise
  }
  const opened = LabPool.open({ open: start, spare, report: (line) => lines.push(line) })
  await until(() => starts.length === 1)
  starts[0]?.finish()
  const pool = await opened
  onTestFinished(() => pool.close())
  /** When it has begun. */
  const finish = async (count: number) => {
    await until(() => starts.length >= count)
    starts[count - 1]?.finish()
  }
  return { pool, starts, open, lines, finish }
}

test('the first test gets the gateway that is ready, without a word, while the next is being started', async () => {
  const { pool, starts, lines } = await openPool(1)
  await pool.takeOwn(undefined)
  await until(() => starts.length === 2)
  expect(lines).toEqual([])
})

test('a test that asks when no spare is ready waits for the one that is being started, and that is said', async () => {
  const { pool, starts, lines, finish } = await openPool(1)
  await pool.takeOwn(undefined)
  const taken = pool.takeOwn(undefined)
  await until(() => lines.length === 1)
  expect(lines[0]).toMatch(/^no spare gateway is ready: a test waits for one that is being started/)
  await finish(2)
  expect((await taken).id).toBe('2')
  expect(lines[1]).toMatch(/^the test that waited has its gateway/)
  // That for the next test.
  await until(() => starts.length === 3)
})

test('only a start that nobody waits for may take its time', async () => {
  const { pool, starts, finish } = await openPool(1)
  await pool.takeOwn(undefined)
  const taken = pool.takeOwn(undefined)
  await finish(2)
  await taken
  await until(() => starts.length === 3)
  expect(starts.map(({ isSpare }) => isSpare)).toEqual([false, false, true])
})

test('without spares a gateway is started when a test asks for it', async () => {
  const { pool, starts, finish } = await openPool(0)
  await pool.takeOwn(undefined)
  expect(starts).toHaveLength(1)
  const taken = pool.takeOwn(undefined)
  await finish(2)
  await taken
})

test('those who ask for the laboratory of all tests get one', async () => {
  const { pool, finish } = await openPool(1)
  const [one, other] = [await pool.share(), await pool.share()]
  expect(other).toBe(one)
  await finish(2)
  expect((await pool.takeOwn(undefined)).lab).not.toBe(one)
})

test('a ninth laboratory is refused, until one has ended', async () => {
  const { pool, finish } = await openPool(0)
  for (let count = 1; count <= 8; count++) {
    const taken = pool.takeOwn(undefined)
    if (count > 1) await finish(count)
    await taken
  }
  await expect(pool.takeOwn(undefined)).rejects.toThrow('There are 8 laboratories already')
  await pool.release('3')
  expect(() => pool.find('3')).toThrow('There is no laboratory 3')
  const taken = pool.takeOwn(undefined)
  await finish(9)
  expect((await taken).id).toBe('9')
})

test('a spare that does not start is what the test hears that waits for it; the next test has another one started', async () => {
  const { pool, starts, finish } = await openPool(1)
  await pool.takeOwn(undefined)
  await until(() => starts.length === 2)
  const waiting = pool.takeOwn(undefined)
  starts[1]?.fail(new Error('no room on the disk'))
  await expect(waiting).rejects.toThrow('no room on the disk')
  const taken = pool.takeOwn(undefined)
  await finish(3)
  await taken
})

test('the laboratory of a test whose process was killed ends', async () => {
  const { pool, open } = await openPool(0)
  const killed = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'])
  await pool.takeOwn(killed.pid)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await until(() => open.size === 0)
  expect(() => pool.find('1')).toThrow('There is no laboratory 1')
})

test('that the laboratory of a killed test could not be ended is said', async () => {
  const { pool, lines } = await openPool(0)
  const killed = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'])
  const { lab } = await pool.takeOwn(killed.pid)
  lab.close = () => Promise.reject(new Error('the folder is busy'))
  killed.kill('SIGKILL')
  await until(() =>
    lines.includes('laboratory 1, whose test has ended, could not be ended: the folder is busy'),
  )
})

test('with the pool end those of tests, that of all, and the one that is being started', async () => {
  const { pool, starts, open, finish } = await openPool(1)
  await pool.share()
  await finish(2)
  await pool.takeOwn(undefined)
  await until(() => starts.length === 3 && open.size === 2)
  await pool.close()
  expect(open.size).toBe(0)
})

test('what is no path of a laboratory is answered as such, whatever the target is', async () => {
  const { pool } = await openPool(0)
  const { url, close } = await serveLab(async () => pool, 0)
  onTestFinished(close)
  for (const path of ['//', '//labs', '*', 'http://other.example/labs', 'http://[/', '/%ff']) {
    const asked = request(url, { path, method: 'POST' }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.resume()
    expect([path, response.statusCode]).toEqual([path, 404])
  }
})

test('an idle connection is announced to stay open for 75 seconds: a busy laboratory closes none on which a request has come', async () => {
  const { pool } = await openPool(0)
  const { url, close } = await serveLab(async () => pool, 0)
  onTestFinished(close)
  expect((await fetch(`${url}/none`)).headers.get('keep-alive')).toBe('timeout=75')
})
