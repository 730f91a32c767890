// The programs of bridges/ beside Chatwoot's: Typebot's, between the gateway and a stand-in, and the webhook that each of them makes for itself.
// @module-tag slow

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startBridgeStage } from '../bridge-programs.ts'
import { createPhone } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

interface BridgeRequest {
  path: string
  body: Seen
}

const stage = await startBridgeStage(5)
const { world, endings, runBridge } = stage

/** The other service: `createResponse` returns the body of each response, or the status of a refusal. */
async function startStandIn(createResponse: (request: BridgeRequest) => object | number) {
  const requests: BridgeRequest[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const one = { path: request.url ?? '', body: JSON.parse(text) }
      const made = createResponse(one)
      if (typeof made !== 'number') requests.push(one)
      response.writeHead(typeof made === 'number' ? made : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(made))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endings.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a Typebot flow continues with each message: bubbles are sent, choices become a poll, a vote is the input', async () => {
  const createBubble = (id: string, markdown: string) => ({
    id,
    type: 'text',
    content: { type: 'markdown', markdown },
  })
  const choice = {
    id: 'in-1',
    type: 'choice input',
    items: [
      { id: 'a', content: 'An order' },
      { id: 'b', content: 'Other' },
    ],
  }
  const { requests, url } = await startStandIn(({ path, body }) => {
    if (path.endsWith('/startChat'))
      return {
        sessionId: 'ses-1',
        messages: [createBubble('m-1', 'Hello!')],
        input: choice,
        typebot: { id: 'b' },
      }
    if (body.message.text === 'An order')
      return { messages: [createBubble('m-2', 'Which one?')], input: { id: 'in-2', type: 'text input' } }
    return { messages: [createBubble('m-3', 'Thank you.')] }
  })
  const { waitForMessage, writeText, service } = await runBridge('typebot', {
    env: { TYPEBOT: url, BOT: 'support' },
  })
  const ben = await createPhone(world, 'Ben')
  await writeText(ben, 'hi')
  await waitForMessage(ben, ({ text }) => text === 'Hello!')
  const poll = await waitForMessage(ben, ({ type }) => type === 'poll')
  expect(poll.choices).toEqual(['An order', 'Other'])
  await world.sim('POST', `/messages/${poll.id}/vote`, { by: ben, choices: ['An order'] })
  await waitForMessage(ben, ({ text }) => text === 'Which one?')
  await writeText(ben, 'number seven')
  await waitForMessage(ben, ({ text }) => text === 'Thank you.')
  // That was the last of it: what is written now begins anew.
  await writeText(ben, 'hi again')
  await until(() => requests.length === 4)
  const createMessage = (text: string) => ({
    message: { type: 'text', text },
    textBubbleContentFormat: 'markdown',
  })
  expect(requests).toEqual([
    { path: '/api/v1/typebots/support/startChat', body: createMessage('hi') },
    { path: '/api/v1/sessions/ses-1/continueChat', body: createMessage('An order') },
    { path: '/api/v1/sessions/ses-1/continueChat', body: createMessage('number seven') },
    { path: '/api/v1/typebots/support/startChat', body: createMessage('hi again') },
  ])
  const { entries } = await world.sim('GET', '/log')
  expect((entries as Seen[]).some(({ state }) => state === 'composing')).toBe(true)
  expect((await service.post('/gateway', { EventType: 'messages' })).status).toBe(401)
})

test('a Typebot session that has expired begins anew with the next message', async () => {
  const begun = { sessionId: 'ses-1', messages: [], input: { id: 'in-1', type: 'text input' } }
  const { requests, url } = await startStandIn(({ path }) => (path.endsWith('/startChat') ? begun : 404))
  const { writeText } = await runBridge('typebot', { env: { TYPEBOT: url, BOT: 'support' } })
  const eve = await createPhone(world, 'Eve')
  await writeText(eve, 'hi')
  await until(() => requests.length === 1)
  await writeText(eve, 'a week later')
  await until(() => requests.length === 2)
  expect(requests.map(({ body }) => body.message.text)).toEqual(['hi', 'a week later'])
})

test('a bubble that the gateway refuses is left out, and one that a loop repeats comes each time', async () => {
  const createText = (markdown: string) => ({ id: 'b-1', type: 'text', content: { markdown } })
  const picture = { id: 'b-2', type: 'image', content: { url: 'http://127.0.0.1:9/picture.jpg' } }
  const { url } = await startStandIn(() => ({
    messages: [createText(''), picture, createText('Item 1'), createText('Item 2')],
  }))
  const { writeText, waitForMessage } = await runBridge('typebot', { env: { TYPEBOT: url, BOT: 'support' } })
  const mia = await createPhone(world, 'Mia')
  await writeText(mia, 'hi')
  await waitForMessage(mia, ({ text }) => text === 'Item 1')
  await waitForMessage(mia, ({ text }) => text === 'Item 2')
})

const env = { TYPEBOT: 'http://127.0.0.1:9', BOT: 'support' }

test('a bridge makes a webhook of its own once, and leaves the first one of the instance alone', async () => {
  const createFirst = (at: string) => ({ url: `${at}/elsewhere`, events: ['messages'], enabled: false })
  const { device, url, restart } = await runBridge('typebot', {
    env,
    prepare: ({ caller }, at) => caller.post('/webhook', createFirst(at)),
  })
  await restart()
  const [first, own] = [createFirst(url), { url: `${url}/gateway`, events: ['messages', 'messages_update'] }]
  const listWebhooks = async () => (await device.caller.get('/v1/webhooks')).body.webhooks as Seen[]
  expect(await listWebhooks()).toMatchObject([first, own])
  const [, { id }] = (await listWebhooks()) as [Seen, Seen]
  await device.caller.request('PATCH', `/v1/webhooks/${id}`, { events: ['call'] })
  await restart()
  await until(async () => (await listWebhooks()).some(({ events }) => events.includes('messages_update')))
  expect(await listWebhooks()).toMatchObject([first, own])
})

test('a bridge that was the first webhook of its instance stays it', async () => {
  const { device, url } = await runBridge('typebot', {
    env,
    prepare: ({ caller }, at) => caller.post('/webhook', { url: `${at}/gateway`, events: ['messages'] }),
  })
  const own = { url: `${url}/gateway`, events: ['messages', 'messages_update'] }
  const listWebhooks = async () => (await device.caller.get('/v1/webhooks')).body.webhooks as Seen[]
  await until(async () => (await listWebhooks())[0].events.length === 2)
  expect(await listWebhooks()).toMatchObject([own])
})
