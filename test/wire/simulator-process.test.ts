// The simulated network as a process: starting, stopping, and the state after a kill.
// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { Client } from './client.ts'

const MAIN = new URL('../../simulator/run-simulator.ts', import.meta.url).pathname

type Running = { child: ChildProcess; readOutput: () => string; ended: Promise<number | null> }

function createDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-process-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function startProcess(dataDir: string, port = 0, ipc = false): Running {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, SIMULATOR_PORT: String(port), DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const onOutput = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout?.on('data', onOutput)
  child.stderr?.on('data', onOutput)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, readOutput: () => output, ended }
}

const waitUntilReady = (running: Running) =>
  until(() => /control (http:\S+)\/sim/.exec(running.readOutput())?.[1])

async function postJson(url: string, path: string, body: object) {
  const response = await fetch(`${url}/sim${path}`, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as Record<string, unknown>
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops the process cleanly', async (signal) => {
  const running = startProcess(createDataFolder())
  const url = await waitUntilReady(running)
  expect((await fetch(`${url}/sim/network`)).status).toBe(200)
  running.child.kill(signal)
  expect(await running.ended).toBe(0)
  expect(running.readOutput().trim().split('\n')).toHaveLength(1)
})

test('a connection of a caller may rest for 75 seconds between two requests', async () => {
  const url = await waitUntilReady(startProcess(createDataFolder()))
  expect((await fetch(`${url}/sim/network`)).headers.get('keep-alive')).toBe('timeout=75')
})

test('a port in use is reported in one sentence with exit 1', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const running = startProcess(createDataFolder(), port)
  expect(await running.ended).toBe(1)
  expect(running.readOutput()).toMatch(/^Port \d+ is taken[^\n]*\n$/)
})

test('the process ends with its parent process', async () => {
  const running = startProcess(createDataFolder(), 0, true)
  await waitUntilReady(running)
  running.child.disconnect()
  expect(await running.ended).toBe(0)
})

test('after a kill -9 companions log in again and decrypt the messages that waited for them', async () => {
  const dataDir = createDataFolder()
  const first = startProcess(dataDir)
  let url = await waitUntilReady(first)
  const client = new Client(() => `${url.replace('http', 'ws')}/ws/chat`)
  onTestFinished(() => client.end())
  await postJson(url, '/phones', { number: '491700000061' })
  await postJson(url, '/phones', { number: '491700000062' })
  client.connect()
  await postJson(url, '/phones/491700000061/scan', { qr: await client.waitForQr() })
  await client.waitForClose()
  await client.goOnline()
  const text = { from: '491700000062', to: '491700000061', text: 'before' }
  await client.waitForText(String((await postJson(url, '/messages', text)).id))
  client.end()
  const { id } = await postJson(url, '/messages', { ...text, text: 'waiting' })
  first.child.kill('SIGKILL')
  await first.ended
  url = await waitUntilReady(startProcess(dataDir))
  await client.goOnline()
  expect((await client.waitForText(String(id))).message?.conversation).toBe('waiting')
  const after = await postJson(url, '/messages', { ...text, text: 'after' })
  expect((await client.waitForText(String(after.id))).message?.conversation).toBe('after')
})

test('a message too large for a row survives a kill -9, can be quoted, and is deleted by a reset', async () => {
  const dataDir = createDataFolder()
  const first = startProcess(dataDir)
  let url = await waitUntilReady(first)
  const client = new Client(() => `${url.replace('http', 'ws')}/ws/chat`)
  onTestFinished(() => client.end())
  await postJson(url, '/phones', { number: '491700000063' })
  await postJson(url, '/phones', { number: '491700000064' })
  client.connect()
  await postJson(url, '/phones/491700000063/scan', { qr: await client.waitForQr() })
  await client.waitForClose()
  await client.goOnline()
  client.end()
  const letter = { from: '491700000064', to: '491700000063' }
  const image = Buffer.from('a picture').toString('base64')
  const large = { ...letter, image, caption: 'long ', captionRepeat: 400_000 }
  const { id } = await postJson(url, '/messages', large)
  first.child.kill('SIGKILL')
  await first.ended
  expect(readdirSync(join(dataDir, 'simulator', 'large'))).toHaveLength(2)

  url = await waitUntilReady(startProcess(dataDir))
  await client.goOnline()
  const caption = 'long '.repeat(400_000)
  expect((await client.waitForText(String(id))).message?.imageMessage?.caption).toBe(caption)
  const response = await postJson(url, '/messages', { ...letter, text: 'indeed', quoted: id })
  const quoting = (await client.waitForText(String(response.id))).message?.extendedTextMessage?.contextInfo
  expect(quoting?.quotedMessage?.imageMessage?.caption).toBe(caption)
  await postJson(url, '/reset', {})
  expect(readdirSync(join(dataDir, 'simulator', 'large'))).toEqual([])
})
