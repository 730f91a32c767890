// The page on n8n, Chatwoot and Typebot: every request on it, as it stands there, and every field that a workflow reads.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'

const { world, receiver, device, waitForEvent, waitForMessage } = await borrowScene()
const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'use', 'automation.md'), 'utf8')

const friend = await createPhone(world, 'Anna')
const values: Record<string, string> = {}

beforeAll(async () => {
  const document = Buffer.from('from Anna').toString('base64')
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, document })
  await waitForEvent('messages', ({ message }) => message.messageid === id)
  Object.assign(values, {
    base: world.run.baseUrl,
    token: device.token,
    number: friend,
    receiver: receiver.url,
    run: '7',
    file: id,
  })
})

interface Written {
  title: string
  method: string
  path: string
  headers: Record<string, string>
  body: Seen
}

const fillPlaceholders = (text: string) =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? `no ${name}`)

const blocks = [...page.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, block = ''], place) => ({
  title: `${place + 1}: ${block.split('\n', 1)[0]?.replace('{{base}}', '')}`,
  block,
}))

function findRequest(block: string): Omit<Written, 'title'> {
  const [head = '', body = ''] = fillPlaceholders(block).split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const [method = '', url = ''] = first.split(' ')
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
  return { method, path: url.slice(world.run.baseUrl.length), headers, body: JSON.parse(body) }
}

describe('each request is answered 200, in the order of the page', () => {
  test.each(blocks)('$title', async ({ block }) => {
    const { method, path, headers, body } = findRequest(block)
    const response = await world.callAs(device.token).request(method, path, JSON.stringify(body), headers)
    expect(response.status, response.text).toBe(200)
    if (path === '/message/download') expect(atob(response.body.base64Data)).toBe('from Anna')
    if (path === '/message/find')
      expect(response.body.messages).toMatchObject([{ text: 'An agent answers.' }])
    if (path.startsWith('/send/')) await waitForMessage(friend, ({ id }) => id === response.body.messageid)
  })
})

test('the page has a request for each of the three', () => {
  expect(blocks.length).toBeGreaterThan(8)
})

test('each field that the page tells a workflow to read is in the received event', async () => {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'good day' })
  const envelope = await waitForEvent('messages', ({ message }) => message.messageid === id)
  const named = [...page.matchAll(/`body\.([\w.]+)`/g)].map(([, path = '']) => path.split('.'))
  expect(named.length).toBeGreaterThan(8)
  for (const path of named) {
    const value = path.reduce((inner: Seen, name) => inner?.[name], envelope)
    expect(value, path.join('.')).toBeDefined()
  }
  expect(envelope.message).toMatchObject({ text: 'good day', senderName: 'Anna', fromMe: false })
})
