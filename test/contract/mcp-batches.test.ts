// Several messages in one request to `/mcp` cost their token as much as alone.

import { toolSets } from '@msgnet/shared/contract/tool-sets.ts'
import { expect, test } from 'vitest'
import { createDevice } from '../device.ts'
import { borrowStage } from '../scene.ts'

const MOST = 8
/** Of requests and of megabytes a minute: fewer than the requests and the lists of these tests. */
const { world } = await borrowStage({
  MCP: 'write',
  MCP_TOOLS: Object.keys(toolSets).join(),
  REQUEST_RATE: '200',
  PAGE_MB: '1',
})

/** As many messages of one method in one request, by a token of its own. */
async function createSender(method: string) {
  const { token } = await createDevice(world, 'Shop')
  return async (count: number) => {
    const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method }))
    const response = await fetch(`${world.run.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        token,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(messages),
    })
    return { status: response.status, text: await response.text() }
  }
}

test('a batch of more messages than any client sends is refused', async () => {
  const send = await createSender('ping')
  expect((await send(MOST)).status).toBe(200)
  const { status, text } = await send(MOST + 1)
  expect([status, JSON.parse(text)]).toEqual([
    400,
    { error: 'invalid_body', message: 'A batch must have at most 8 messages.' },
  ])
})

test('each message of a batch counts as a request', async () => {
  const send = await createSender('ping')
  const answers = []
  for (let batches = 0; batches < 30; batches += 1) answers.push(await send(MOST))
  expect(answers[0]?.status).toBe(200)
  const refused = answers.at(-1)
  expect([refused?.status, JSON.parse(refused?.text ?? '').details]).toEqual([
    429,
    { limit: 'REQUEST_RATE', atMost: 200 },
  ])
})

test('lists of tools count as pages', async () => {
  const send = await createSender('tools/list')
  const answers = []
  for (let batches = 0; batches < 8; batches += 1) answers.push(await send(MOST))
  expect(answers[0]?.status).toBe(200)
  const refused = answers.at(-1)
  expect([refused?.status, JSON.parse(refused?.text ?? '').details]).toEqual([
    429,
    { limit: 'PAGE_MB', atMost: 1 },
  ])
})
