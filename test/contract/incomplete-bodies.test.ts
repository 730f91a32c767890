// Bodies that are not read to their end: refused early, too large, shorter than declared, or cut off.

import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import { everyLine, startWorld, type World } from '../world.ts'

const MIB = 1024 * 1024

let world: World
let admin: Record<string, string>

beforeAll(async () => {
  world = await startWorld({ ...everyLine, MCP: 'write' })
  admin = { admintoken: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim() }
})

afterAll(() => world.close())

/** A client that writes as fast as it may and reads what comes; throws when the connection is reset. */
function sendRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(world.run.baseUrl + path, { method, headers, agent: false }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', reject)
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

describe('a body is refused before it was read', () => {
  const json = { 'content-type': 'application/json' }
  const refusals: Record<string, [string, string, () => Record<string, string>, number]> = {
    'without a credential': ['POST', '/instance/init', () => json, 401],
    'to no route': ['POST', '/no/such/route', () => json, 404],
    'with a wrong method': ['PUT', '/instance/init', () => json, 405],
    'that is too large': ['POST', '/instance/init', () => ({ ...json, ...admin }), 413],
  }
  test.each(Object.entries(refusals))(
    '%s: every client hears why',
    async (_, [method, path, headers, status]) => {
      for (const size of [2 * MIB, 12 * MIB, 20 * MIB]) {
        const body = Buffer.alloc(size, 'x')
        for (const length of [{ 'content-length': `${size}` }, { 'transfer-encoding': 'chunked' }]) {
          const tries = Array.from({ length: 5 }, () =>
            sendRequest(method, path, { ...headers(), ...length }, body),
          )
          expect(await Promise.all(tries)).toEqual(tries.map(() => status))
        }
      }
    },
  )
})

describe('a caller sends less than its Content-Length', () => {
  /** The response to these bytes, after which no more come. */
  function sendPart(text: string, leave: 'ends' | 'is gone'): Promise<string> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(world.run.baseUrl)
      let received = ''
      const socket = connect(Number(port), hostname, () => {
        if (leave === 'ends') socket.end(text)
        else socket.write(text, () => socket.destroy())
      })
      socket.on('data', (chunk) => (received += chunk))
      socket.on('error', () => undefined)
      socket.once('close', () => resolve(received))
    })
  }

  const createHead = (framing: string) =>
    `POST /instance/init HTTP/1.1\r\nhost: x\r\nadmintoken: ${admin.admintoken}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`
  const lies: Record<string, () => string> = {
    'less than its length': () => `${createHead('content-length: 500')}{"name":"x`,
    'nothing of its length': () => createHead('content-length: 500'),
    'half a chunk': () => `${createHead('transfer-encoding: chunked')}ff\r\n{"name":"x`,
    'no last chunk': () => `${createHead('transfer-encoding: chunked')}a\r\n{"name":"x\r\n`,
    'a chunk without a size': () => `${createHead('transfer-encoding: chunked')}zz\r\n{"name":"x\r\n`,
  }

  test.each(
    Object.entries(lies).flatMap(([what, text]) => [
      [what, 'ends', text] as const,
      [what, 'is gone', text] as const,
    ]),
  )('sends %s and %s: no 5xx, and no error in the log', async (what, leave, text) => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => sendPart(text(), leave)))
    for (const text of responses.filter(Boolean)) expect(text, what).toMatch(/^HTTP\/1\.1 4\d\d /)
    const marker = crypto.randomUUID()
    await world.admin.get('/v1/capabilities', { 'x-request-id': marker })
    const readLog = () => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')
    await until(() => readLog().includes(marker))
    expect(readLog()).not.toMatch(/"level":"error"|"status":5|error:|^stack:/m)
  })
})

test('a refused caller that stops sending a long body gets its refusal, and no error is logged', async () => {
  const { hostname, port } = new URL(world.run.baseUrl)
  const received = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => {
      const head = 'POST /instance/init HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
      socket.write(`${head}content-length: 10000000\r\n\r\n{"name":"x`)
    })
    socket.on('data', (chunk) => {
      text += chunk
      if (/\r\n\r\n\{.*\}$/s.test(text)) socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(text))
  })
  expect(received).toMatch(/^HTTP\/1\.1 401 /)
  const marker = crypto.randomUUID()
  await world.admin.get('/v1/capabilities', { 'x-request-id': marker })
  const readLog = () => readFileSync(join(world.dataDir, 'logs', 'edge.log'), 'utf8')
  await until(() => readLog().includes(marker))
  expect(readLog()).not.toMatch(/"level":"error"|"status":5|error:|^stack:/m)
})

/** Sends these bytes and then no more, and returns what was received until a whole response came. */
function sendBeginning(text: string): Promise<string> {
  const { hostname, port } = new URL(world.run.baseUrl)
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk
      if (/\r\n\r\n\{.*\}$/s.test(received)) socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(received))
  })
}

test.each(['/instance/init', '/mcp'])(
  'a body of too many values is refused at %s before it has come whole',
  async (path) => {
    const credential = path === '/mcp' ? 'authorization: Bearer ' : 'admintoken: '
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\n${credential}${admin.admintoken}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n`
    const received = await sendBeginning(`${head}content-length: 1000000\r\n\r\n[${'0,'.repeat(50_000)}`)
    expect(received).toMatch(/^HTTP\/1\.1 400 .*of more than 20000 values/s)
  },
)

test('the rest of a refused body counts for the caller without a token by its address', async () => {
  const readDrained = async () => {
    const text = await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()
    return Number(/^edge_turns_cost_total\{work="drained_bytes"\} (\d+)/m.exec(text)?.[1] ?? 0)
  }
  const before = await readDrained()
  const body = Buffer.alloc(12 * MIB, 'x')
  expect(await sendRequest('POST', '/instance/init', { 'content-length': `${body.length}` }, body)).toBe(401)
  expect((await readDrained()) - before).toBeGreaterThan(11 * MIB)
})

describe('a client sends Expect: 100-continue', () => {
  const json = { 'content-type': 'application/json' }

  /** Announces a body, sends it when the server continues or its patience ends, and returns everything received. */
  function waitForResponse(path: string, headers: Record<string, string>, body: Buffer, patience: number) {
    return new Promise<{ received: string; sentBody: boolean }>((resolve, reject) => {
      const { hostname, port } = new URL(world.run.baseUrl)
      const requestHeaders = {
        ...json,
        ...headers,
        expect: '100-continue',
        'content-length': String(body.length),
      }
      const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
      let received = ''
      let sentBody = false
      const socket = connect(Number(port), hostname, () => {
        socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`)
      })
      const sendBody = () => {
        sentBody = true
        socket.write(body)
      }
      const tired = setTimeout(sendBody, patience)
      socket.on('data', (chunk) => {
        clearTimeout(tired)
        received += chunk
        if (!sentBody && received.startsWith('HTTP/1.1 100 ')) sendBody()
        else if (/\r\n\r\n\{.*\}$/s.test(received)) socket.destroy()
      })
      socket.once('error', reject)
      socket.once('close', () => {
        clearTimeout(tired)
        resolve({ received, sentBody })
      })
    })
  }

  const noCredential: Record<string, string> = {}
  test.each([
    ['no credential', '/instance/init', 1024, () => noCredential, 401],
    ['a wrong one', '/instance/init', 1024, () => ({ admintoken: 'x'.repeat(40) }), 401],
    ['no such route', '/no/such/route', 1024, () => noCredential, 404],
    ['another type', '/instance/init', 1024, () => ({ ...admin, 'content-type': 'text/plain' }), 415],
    ['a length over the limit', '/instance/init', 2 * MIB, () => admin, 413],
  ] as const)('is told of %s without having sent its body', async (_, path, size, headers, status) => {
    const { received, sentBody } = await waitForResponse(path, headers(), Buffer.alloc(size, 'x'), 60_000)
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(sentBody).toBe(false)
  })

  test('an accepted body gets 100 Continue and the usual response', async () => {
    const body = Buffer.from('{"name":"Patient"}')
    const { received, sentBody } = await waitForResponse('/instance/init', admin, body, 60_000)
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 .*"Patient"/s)
    expect(sentBody).toBe(true)
  })
})
