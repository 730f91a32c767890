// The programs of cli/bridges/ between the gateway and stand-ins for Chatwoot or Typebot: what each side sends to the other.

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../cli/settings/ports.ts'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice, SECRET } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

interface BridgeRequest {
  path: string
  body: Seen
}

/** Ends what the tests have started. */
const endings: (() => void)[] = []
afterAll(() => {
  for (const end of endings) end()
})

/** The other service: `createResponse` returns the body of each response, `undefined` for a 500. */
async function startStandIn(createResponse: (request: BridgeRequest) => object | undefined) {
  const requests: BridgeRequest[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const one = { path: request.url ?? '', body: JSON.parse(text) }
      const body = createResponse(one)
      if (body) requests.push(one)
      response.writeHead(body ? 200 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endings.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const ports = { chatwoot: await freePort(), typebot: await freePort() }
const world = await startWorld({
  WEBHOOK_ALLOWLIST: [ports.chatwoot, ports.typebot].map((port) => `127.0.0.1:${port}`).join(),
})
afterAll(() => world.close())

/** The program runs, and an instance of its own posts to it. */
async function runBridge(name: keyof typeof ports, more: Record<string, string>) {
  const device = await linkDevice(world, await createDevice(world, name))
  const [port, folder] = [ports[name], join(import.meta.dirname, '..', '..', 'cli', 'bridges')]
  const child = spawn(process.execPath, [`${name}.ts`], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      GATEWAY: world.run.baseUrl,
      TOKEN: device.token,
      SECRET,
      PORT: String(port),
      DATABASE: join(world.dataDir, `${name}.db`),
      ...more,
    },
  })
  endings.push(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until(() => fetch(url))
  const events = ['messages', 'messages_update']
  await device.caller.post('/webhook', { url: `${url}/gateway`, events, secret: SECRET })
  const waitForMessage = (number: string, matches: (message: Seen) => boolean): Promise<Seen> =>
    until(async () => {
      const { messages } = await world.sim('GET', `/phones/${number}/inbox`)
      return (messages as Seen[]).find(matches)
    })
  const writeText = async (from: string, text: string) =>
    (await world.sim('POST', '/messages', { from, to: device.number, text })).id as string
  return { device, waitForMessage, writeText, service: createPlainCaller(url, {}) }
}

const createChatwootMessage = (sender: object) => ({
  event: 'message_created',
  id: 501,
  content: 'Until eight.',
  message_type: 'outgoing',
  private: false,
  content_type: 'text',
  content_attributes: {},
  inbox: { id: 1, name: 'API' },
  conversation: { id: 12, inbox_id: 1, status: 'open', channel: 'Channel::Api', meta: { sender } },
  account: { id: 1, name: 'Shop' },
})

test('a message of a contact is in Chatwoot once, in one conversation, and the reply of an agent is on the phone', async () => {
  let failing = true
  const { requests, url } = await startStandIn(({ path }) => {
    if (path.endsWith('/messages') && failing) {
      failing = false
      return undefined
    }
    if (path.endsWith('/contacts')) return { source_id: 'src-1', name: 'Anna' }
    return path.endsWith('/conversations') ? { id: 12 } : { id: 77 }
  })
  const { device, waitForMessage, writeText, service } = await runBridge('chatwoot', {
    CHATWOOT: url,
    INBOX: 'box',
  })
  const anna = await createPhone(world, 'Anna')
  const [first, second] = [await writeText(anna, 'is it open?'), await writeText(anna, 'hello?')]
  const listSaid = () => requests.filter(({ path }) => path.endsWith('/messages')).map(({ body }) => body)
  await until(() => listSaid().length >= 2)
  // A delivery that failed comes again after a while, behind the next one.
  expect(listSaid()).toEqual(
    expect.arrayContaining([
      { content: 'is it open?', echo_id: first },
      { content: 'hello?', echo_id: second },
    ]),
  )
  const inbox = '/public/api/v1/inboxes/box/contacts'
  const person = `${anna}@s.msgnet.net`
  expect(requests.filter(({ path }) => !path.endsWith('/messages'))).toEqual([
    { path: inbox, body: { identifier: person, name: 'Anna', phone_number: `+${anna}` } },
    { path: `${inbox}/src-1/conversations`, body: {} },
  ])

  const sender = { id: 3, name: 'Anna', identifier: person, phone_number: `+${anna}` }
  const callback = createChatwootMessage(sender)
  // Chatwoot calls again when it got no response.
  for (let call = 0; call < 2; call++) expect((await service.post('/service', callback)).status).toBe(204)
  await service.post('/service', { ...callback, id: 502, content: 'a note', private: true })
  await service.post('/service', { ...callback, id: 503, content: 'his own', message_type: 'incoming' })
  const { id } = await waitForMessage(anna, ({ text }) => text === 'Until eight.')
  const [stored] = (await device.caller.post('/message/find', { track_id: '501' })).body.messages
  expect(stored).toMatchObject({ messageid: id, track_source: 'chatwoot' })
  await world.sim('POST', `/messages/${id}/receipt`, { by: anna, type: 'read' })
  await until(() => requests.some(({ path }) => path.endsWith('/conversations/12/update_last_seen')))
  const resolved = { event: 'conversation_status_changed', id: 12, status: 'resolved', meta: { sender } }
  expect((await service.post('/service', resolved)).status).toBe(204)
  const { chats } = (await device.caller.post('/chat/find', { wa_chatid: person })).body
  expect(chats).toMatchObject([{ wa_archived: true }])
  const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
  expect((messages as Seen[]).map(({ text }) => text)).toEqual(['Until eight.'])
})

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
  const { waitForMessage, writeText, service } = await runBridge('typebot', { TYPEBOT: url, BOT: 'support' })
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
