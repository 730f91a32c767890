// An idle connection that the server closes as the next request comes: a request to a receiver is sent again, one to a database is not.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeIdleConnections, fetchOutbound } from '@msgnet/edge/node/outbound.ts'
import { expect, onTestFinished, test } from 'vitest'

/** Takes the second request of each connection, and closes without a word. */
async function startForgetful() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const isSecond = known.has(request.socket)
    known.add(request.socket)
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    if (isSecond) request.socket.destroy()
    else response.end('ok')
  })
  const known = new WeakSet<object>()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    closeIdleConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const postBody = async (body: string, terms?: { mayRetry: boolean }) => {
    const response = await fetchOutbound('allowlisted', url, { method: 'POST', body }, terms)
    return response.text()
  }
  return { postBody, bodies }
}

test('a request to a receiver is sent again on another connection', async () => {
  const { postBody, bodies } = await startForgetful()
  expect([await postBody('one'), await postBody('two')]).toEqual(['ok', 'ok'])
  expect(bodies).toEqual(['one', 'two', 'two'])
})

test('a request to a database is not sent again, because it may have been executed', async () => {
  const { postBody, bodies } = await startForgetful()
  expect(await postBody('one', { mayRetry: false })).toBe('ok')
  await expect(postBody('two', { mayRetry: false })).rejects.toThrow('the connection was closed')
  expect(bodies).toEqual(['one', 'two'])
})
