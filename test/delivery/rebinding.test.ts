// Resolvers of names that others choose. One that answers differently the second time: what was judged is what is connected to, and a private address among public ones is left out. One that never answers delays no other name.

import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildResolverCommand, canFakeNames } from '../fake-names.ts'
import { until } from '../until.ts'
import { type Canary, startCanary } from './canary.ts'

/** An address of this machine alone, where no other resolver listens. */
const RESOLVER = '127.77.0.1'
const TYPE_A = 1
/** A public address without a listener. */
const ELSEWHERE = '192.31.196.1'
const HERE = '127.0.0.1'

/** The answers to the queries for each name, in the order of the queries. */
const ADDRESSES: Record<string, (count: number) => string[]> = {
  'public-first.canary.org': (count) => [count === 0 ? ELSEWHERE : HERE],
  'private-first.canary.org': (count) => [count === 0 ? HERE : ELSEWHERE],
  'both.canary.org': () => [HERE, ELSEWHERE],
  'both-turned.canary.org': () => [ELSEWHERE, HERE],
  'here.canary.org': () => [HERE],
}
const questions = new Map<string, number>()
const SILENT = /^silent-/

/** A name server for these names, which knows no address of IPv6. Undefined for a name whose server never answers. */
function buildDnsResponse(question: Buffer): Buffer | undefined {
  let at = 12
  const labels: string[] = []
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.').toLowerCase()
  const type = question.readUInt16BE(at + 1)
  const addresses = type === TYPE_A ? (ADDRESSES[name]?.(questions.get(name) ?? 0) ?? []) : []
  if (type === TYPE_A) questions.set(name, (questions.get(name) ?? 0) + 1)
  if (SILENT.test(name)) return undefined
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    // The name of the question, type A, class IN, a lifetime of 0, four bytes.
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([head, question.subarray(12, at + 5), ...records])
}

async function startResolver(): Promise<Socket | undefined> {
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const response = buildDnsResponse(question)
    if (response) socket.send(response, port, address)
  })
  const bound = new Promise<boolean>((resolve) => {
    socket.once('listening', () => resolve(true)).once('error', () => resolve(false))
  })
  // The port of resolvers is for root.
  socket.bind(53, RESOLVER)
  return (await bound) ? socket : undefined
}

const folder = mkdtempSync(join(tmpdir(), 'rebinding-'))
let resolver: Socket | undefined
let canary: Canary
let program: ChildProcess | undefined
let outbound: string

beforeAll(async () => {
  canary = await startCanary()
  resolver = canFakeNames() ? await startResolver() : undefined
  if (!resolver) return
  const port = await freePort()
  outbound = `http://127.0.0.1:${port}/`
  const file = join(folder, 'resolv.conf')
  writeFileSync(file, `nameserver ${RESOLVER}\noptions timeout:1 attempts:1\n`)
  const serve = [process.execPath, join(import.meta.dirname, 'outward-server.ts'), String(port)]
  const [command = '', ...args] = [...buildResolverCommand(file), ...serve]
  program = spawn(command, args, { stdio: 'ignore' })
  await until(() => fetch(outbound))
})

afterAll(async () => {
  if (program) {
    const gone = once(program, 'close')
    program.kill('SIGTERM')
    await gone
  }
  resolver?.close()
  canary.close()
  rmSync(folder, { recursive: true })
})

async function requestHost(name: string, headers: Record<string, string> = {}): Promise<void> {
  const url = `http://${name}:${canary.port}/`
  const response = await fetch(outbound, {
    headers: { 'x-url': encodeURIComponent(url), ...headers },
    signal: AbortSignal.timeout(3000),
  }).catch(() => undefined)
  // The public address may not answer at all.
  if (response) expect([name, response.status]).toEqual([name, 502])
}

test('no answer of a resolver leads to this machine, even if its second answer differs', async ({ skip }) => {
  if (!resolver) skip('a resolver needs the port of resolvers and a mount namespace')
  await requestHost('here.canary.org', { 'x-anywhere': 'yes' })
  await until(() => canary.touched === 1)
  questions.clear()
  for (const name of Object.keys(ADDRESSES)) {
    await requestHost(name)
    await requestHost(name)
    expect([name, questions.get(name)]).toEqual([name, 2])
  }
  expect(canary.touched).toBe(1)
})

test('names whose servers never answer delay no other name', async ({ skip }) => {
  if (!resolver) skip('a resolver needs the port of resolvers and a mount namespace')
  let ended = 0
  const silent = Array.from({ length: 8 }, async (_, place) => {
    await requestHost(`silent-${place}.canary.org`)
    ended++
  })
  await until(() => questions.has('silent-0.canary.org'))
  void requestHost('other.canary.org')
  await until(() => questions.has('other.canary.org'))
  expect(ended).toBe(0)
  await Promise.all(silent)
})
