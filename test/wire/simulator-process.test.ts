// The simulated network as a process: starting, stopping, and what a kill leaves behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { Client } from './client.ts'

const MAIN = new URL('../../simulator/main.ts', import.meta.url).pathname

type Running = { child: ChildProcess; output: () => string; ended: Promise<number | null> }

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-process-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start(dataDir: string, port = 0, ipc = false): Running {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, SIMULATOR_PORT: String(port), DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const listen = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout?.on('data', listen)
  child.stderr?.on('data', listen)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, output: () => output, ended }
}

const ready = (running: Running) => until(() => /control (http:\S+)\/sim/.exec(running.output())?.[1])

async function post(url: string, path: string, body: object) {
  const response = await fetch(`${url}/sim${path}`, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as Record<string, unknown>
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops it cleanly', async (signal) => {
  const running = start(dataFolder())
  const url = await ready(running)
  expect((await fetch(`${url}/sim/network`)).status).toBe(200)
  running.child.kill(signal)
  expect(await running.ended).toBe(0)
  expect(running.output().trim().split('\n')).toHaveLength(1)
})

test('a port that is taken is one sentence and exit 1', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const running = start(dataFolder(), port)
  expect(await running.ended).toBe(1)
  expect(running.output()).toMatch(/^Port \d+ is taken[^\n]*\n$/)
})

test('it does not outlive the process that started it', async () => {
  const running = start(dataFolder(), 0, true)
  await ready(running)
  running.child.disconnect()
  expect(await running.ended).toBe(0)
})

test('after a kill -9 companions log in again and find what waited for them, still decryptable', async () => {
  const dataDir = dataFolder()
  const first = start(dataDir)
  let url = await ready(first)
  const client = new Client(() => `${url.replace('http', 'ws')}/ws/chat`)
  onTestFinished(() => client.end())
  await post(url, '/phones', { number: '491700000061' })
  await post(url, '/phones', { number: '491700000062' })
  client.connect()
  await post(url, '/phones/491700000061/scan', { qr: await client.qr() })
  await client.closed()
  await client.online()
  const text = { from: '491700000062', to: '491700000061', text: 'before' }
  await client.text(String((await post(url, '/messages', text)).id))
  client.end()
  const { id } = await post(url, '/messages', { ...text, text: 'waiting' })
  first.child.kill('SIGKILL')
  await first.ended
  url = await ready(start(dataDir))
  await client.online()
  expect((await client.text(String(id))).message?.conversation).toBe('waiting')
  const after = await post(url, '/messages', { ...text, text: 'after' })
  expect((await client.text(String(after.id))).message?.conversation).toBe('after')
})

test('what is too large for a row waits too, through a kill -9, and is quoted and forgotten as the rest', async () => {
  const dataDir = dataFolder()
  const first = start(dataDir)
  let url = await ready(first)
  const client = new Client(() => `${url.replace('http', 'ws')}/ws/chat`)
  onTestFinished(() => client.end())
  await post(url, '/phones', { number: '491700000063' })
  await post(url, '/phones', { number: '491700000064' })
  client.connect()
  await post(url, '/phones/491700000063/scan', { qr: await client.qr() })
  await client.closed()
  await client.online()
  client.end()
  const letter = { from: '491700000064', to: '491700000063' }
  const image = Buffer.from('a picture').toString('base64')
  const large = { ...letter, image, caption: 'long ', captionRepeat: 400_000 }
  const { id } = await post(url, '/messages', large)
  first.child.kill('SIGKILL')
  await first.ended
  expect(readdirSync(join(dataDir, 'simulator', 'large'))).toHaveLength(2)

  url = await ready(start(dataDir))
  await client.online()
  const caption = 'long '.repeat(400_000)
  expect((await client.text(String(id))).message?.imageMessage?.caption).toBe(caption)
  const answer = await post(url, '/messages', { ...letter, text: 'indeed', quoted: id })
  const quoting = (await client.text(String(answer.id))).message?.extendedTextMessage?.contextInfo
  expect(quoting?.quotedMessage?.imageMessage?.caption).toBe(caption)
  await post(url, '/reset', {})
  expect(readdirSync(join(dataDir, 'simulator', 'large'))).toEqual([])
})
