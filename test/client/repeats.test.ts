// The repeats of the client for TypeScript: the cases that the clients of all languages run, and a stream that goes on.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  connectInstance,
  GatewayError,
  GatewayUnreachable,
  type InstanceClient,
} from '@msgnet/client/client.ts'
import { afterEach, describe, expect, test } from 'vitest'

/** `broken`: the connection breaks after the request was read. `cut`: the body breaks off. */
type Answer =
  | 'broken'
  | {
      status: number
      error?: string
      retryAfter?: string
      location?: string
      text?: string
      cut?: boolean
      body?: object
    }

interface RepeatCase {
  says: string
  call: 'send' | 'connect' | 'status'
  repeats?: false
  answers: Answer[]
  pauses: (number | [number, number])[]
  ends: string
}

const cases: RepeatCase[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'clients', 'repeat-cases.json'), 'utf8'),
)

let close: (() => void) | undefined

afterEach(() => close?.())

/** A gateway that sends its answers in their order, and a client whose pauses are remembered. */
async function openStub(answers: Answer[], repeats?: false) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      requests.push(request)
      sendAnswer(answers[requests.length - 1] ?? 'broken', response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const pauses: number[] = []
  const client = connectInstance({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'mgi_one',
    ...(repeats === false && { repeats }),
    wait: async (seconds) => void pauses.push(seconds),
  })
  return { client, pauses, requests }
}

function sendAnswer(answer: Answer, response: ServerResponse): void {
  if (answer === 'broken') {
    response.destroy()
    return
  }
  const { status, error, retryAfter, location, cut, body = error === undefined ? {} : { error } } = answer
  const text = answer.text ?? JSON.stringify(body)
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  if (location !== undefined) response.setHeader('location', location)
  response.writeHead(status, {
    connection: 'close',
    'content-length': Buffer.byteLength(text) + (cut ? 9 : 0),
  })
  if (cut) response.write(text, () => response.destroy())
  else response.end(text)
}

const calls = {
  send: (client: InstanceClient) => client.sendText({ number: '5511999999999', text: 'x' }),
  connect: (client: InstanceClient) => client.connect(),
  status: (client: InstanceClient) => client.status(),
}

const describeEnd = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answer',
    (error: unknown) => {
      if (error instanceof GatewayError) return error.code
      return error instanceof GatewayUnreachable ? 'unreachable' : String(error)
    },
  )

describe('a request is sent again', () => {
  test.each(cases)('$says', async ({ call, repeats, answers, pauses: expected, ends }) => {
    const { client, pauses, requests } = await openStub(answers, repeats)
    expect(await describeEnd(calls[call](client))).toBe(ends)
    expect(requests).toHaveLength(answers.length)
    expect(pauses).toHaveLength(expected.length)
    for (const [n, pause] of pauses.entries()) {
      const [least, most] = [expected[n] ?? 0].flat() as [number, number?]
      expect(pause).toBeGreaterThanOrEqual(least)
      expect(pause).toBeLessThanOrEqual(most ?? least)
    }
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
    expect([keys.size, keys.has(undefined)]).toEqual([1, call !== 'send'])
  })

  test('an aborted signal ends the repeats', async () => {
    const { client, requests } = await openStub(['broken', { status: 200 }])
    const sent = client.sendText({ number: '1', text: 'x' }, { signal: AbortSignal.abort() })
    expect(await describeEnd(sent)).toBe('unreachable')
    expect(requests).toHaveLength(0)
  })
})

test('a redirect is not followed, because the token would go with the request', async () => {
  const moved: Answer = { status: 307, location: '/elsewhere', text: 'moved' }
  const { client, requests } = await openStub([moved, moved], false)
  const refusal = { status: 307, code: 'not_json' }
  await expect(calls.send(client)).rejects.toMatchObject(refusal)
  await expect(client.stream({ after: 3 })).rejects.toMatchObject(refusal)
  expect(requests.map(({ url }) => url)).toEqual(['/send/text', '/v1/events/stream'])
})

describe('a stream', () => {
  const newest: Answer = { status: 200, body: { events: [{ seq: 3 }] } }
  const lines: Answer = {
    status: 200,
    text: ': welcome\n\nid: 4\ndata: {"seq":4}\n\ndata: {"seq":0}\n\n',
    cut: true,
  }

  test('goes on after the last event when it breaks', async () => {
    const more: Answer = { status: 200, text: 'data: {"seq":5}\n\n' }
    const { client, pauses, requests } = await openStub([newest, lines, 'broken', { status: 503 }, more])
    const seen: number[] = []
    for await (const { seq } of await client.stream()) if (seen.push(seq) === 3) break
    expect(seen).toEqual([4, 0, 5])
    expect(pauses).toEqual([1, 2, 4])
    const after = requests.map(({ headers }) => headers['last-event-id'])
    expect(after).toEqual([undefined, '3', '4', '4', '4'])
  })

  test('ends with a refusal', async () => {
    const { client } = await openStub([lines, { status: 401, error: 'unauthorized' }])
    const seen: number[] = []
    const read = async () => {
      for await (const { seq } of await client.stream({ after: 3 })) seen.push(seq)
    }
    expect(await describeEnd(read())).toBe('unauthorized')
    expect(seen).toEqual([4, 0])
  })

  test('is not opened again without repeats', async () => {
    const { client, requests } = await openStub([lines], false)
    const read = async () => {
      for await (const { seq } of await client.stream()) expect(seq).toBeLessThan(5)
    }
    expect(await describeEnd(read())).toBe('unreachable')
    expect(requests).toHaveLength(1)
  })
})
