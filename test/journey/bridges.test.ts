// The programs of cli/bridges/ between the gateway and stand-ins for Chatwoot or Typebot: what each side sends to the other.

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../cli/settings/ports.ts'
import { createPlainCaller } from '../caller.ts'
import { CALLBACK_SECRET } from '../chatwoot-callbacks.ts'
import { type ChatwootMessage, ChatwootServer } from '../chatwoot-server.ts'
import { createDevice, createPhone, linkDevice, linkWithPast, SECRET } from '../device.ts'
import { createWav, voice } from '../media-files.ts'
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
async function runBridge(
  name: keyof typeof ports,
  more: Record<string, string>,
  events = ['messages', 'messages_update'],
  link = linkDevice,
) {
  const fresh = await createDevice(world, name)
  const database = join(world.dataDir, `${fresh.id}.db`)
  const [port, folder] = [ports[name], join(import.meta.dirname, '..', '..', 'cli', 'bridges')]
  const url = `http://127.0.0.1:${port}`
  const start = () =>
    spawn(process.execPath, [`${name}.ts`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', process.env.SHOW_BRIDGE ? 'inherit' : 'ignore'],
      env: {
        PATH: process.env.PATH,
        GATEWAY: world.run.baseUrl,
        TOKEN: fresh.token,
        SECRET,
        PORT: String(port),
        DATABASE: database,
        ...more,
      },
    })
  let child = start()
  const kill = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await ended
    }
  }
  endings.push(() => void child.kill('SIGKILL'))
  onTestFinished(kill)
  const restart = async () => {
    await kill()
    child = start()
    await until(() => fetch(url))
  }
  await until(() => fetch(url))
  await fresh.caller.post('/webhook', { url: `${url}/gateway`, events, secret: SECRET })
  const device = await link(world, fresh)
  const waitForMessage = (
    number: string,
    matches: (message: Seen) => boolean,
    within = 15_000,
  ): Promise<Seen> =>
    until(
      async () => {
        const { messages } = await world.sim('GET', `/phones/${number}/inbox`)
        return (messages as Seen[]).find(matches)
      },
      { within },
    )
  const writeText = async (from: string, text: string) =>
    (await world.sim('POST', '/messages', { from, to: device.number, text })).id as string
  return { device, url, restart, waitForMessage, writeText, service: createPlainCaller(url, {}) }
}

const findOne = (
  server: ChatwootServer,
  matches: (message: ChatwootMessage) => boolean,
  within = 15_000,
): Promise<ChatwootMessage> => until(() => server.messages.find(matches), { within })
const chatwootEvents = ['connection', 'messages', 'messages_update', 'messages_edit', 'groups']

/** Chatwoot, and its bridge with an instance of its own; `restart` kills the bridge and starts it again. */
async function runChatwoot(more: Record<string, string> = {}, link?: typeof linkDevice) {
  const server = await new ChatwootServer().start()
  endings.push(() => server.close())
  const env = { CHATWOOT: server.url, ...server.env, UNCERTAIN_SECONDS: '0', ...more }
  const bridge = await runBridge('chatwoot', env, chatwootEvents, link)
  server.callbackUrl = `${bridge.url}/service`
  return { server, ...bridge }
}

/** Chatwoot with its bridge, and a contact: what she writes, and how both sides see it. */
async function startChat() {
  const bridge = await runChatwoot({ SIGNATURE: 'on' })
  const { server, device } = bridge
  const anna = await createPhone(world, 'Anna')
  return {
    ...bridge,
    anna,
    write: async (body: object) =>
      (await world.sim('POST', '/messages', { from: anna, to: device.number, ...body })).id as string,
    change: (id: string, what: string, body: object) =>
      world.sim('POST', `/messages/${id}/${what}`, { by: anna, ...body }),
    waitForSource: (source_id: string) => findOne(server, (one) => one.source_id === source_id),
    waitForStatus: (message: ChatwootMessage, status: string) => until(() => message.status === status),
    createPicture: () =>
      sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
        .jpeg()
        .toBuffer(),
  }
}

test('what a contact writes is in Chatwoot once: files, voice notes, replies, edits, reactions and deletions', async () => {
  const { server, writeText, write, change, waitForSource, createPicture, anna } = await startChat()
  const person = `${anna}@s.msgnet.net`
  await world.sim('PATCH', `/phones/${anna}/profile`, { picture: (await createPicture()).toString('base64') })
  const first = await writeText(anna, 'is it *open*?')
  const asked = await waitForSource(first)
  expect(asked).toMatchObject({ content: 'is it **open**?', message_type: 'incoming' })
  const { conversation } = asked
  expect(conversation.contact).toMatchObject({ identifier: person, name: 'Anna', phone_number: `+${anna}` })
  await until(() => conversation.contact.avatar_url)
  const note = await write({ audio: voice, quoted: first })
  const heard = await waitForSource(note)
  expect(heard.files).toMatchObject([{ file_type: 'audio', bytes: Buffer.from(voice, 'base64') }])
  expect(heard.content_attributes).toMatchObject({ in_reply_to: asked.id })
  const document = Buffer.from('the plan').toString('base64')
  const plan = await waitForSource(
    await write({ document, fileName: 'plan.txt', mimetype: 'text/plain', caption: 'look' }),
  )
  expect(plan).toMatchObject({ content: 'look', files: [{ name: 'plan.txt', type: 'text/plain' }] })
  server.maxFileBytes = 4
  const large = await waitForSource(await write({ document, fileName: 'large.txt', mimetype: 'text/plain' }))
  expect(large).toMatchObject({
    content: expect.stringContaining('large.txt: Chatwoot does not take'),
    files: [],
  })
  server.maxFileBytes = 1e6
  const place = await waitForSource(
    await write({ location: { latitude: 1.5, longitude: 2.5, name: 'Shop' } }),
  )
  expect(place.content).toBe('Shop\nhttps://www.google.com/maps?q=1.5,2.5')
  await change(first, 'edit', { text: 'is it open today?' })
  const edited = await findOne(server, ({ content }) => content === '✏️ is it open today?')
  expect(edited).toMatchObject({ message_type: 'incoming', content_attributes: { in_reply_to: asked.id } })
  await change(first, 'react', { text: '👍' })
  await findOne(
    server,
    ({ content, content_attributes: { in_reply_to } }) => content === '👍' && in_reply_to === asked.id,
  )
  await change(first, 'revoke', {})
  await until(() => asked.content_attributes.deleted)
})

test('Chatwoot has the chats of the phone: agents, groups, replies, receipts and deletions, each message once and without an echo', {
  timeout: 60_000,
}, async () => {
  const { server, device, anna, write, waitForSource, waitForStatus, waitForMessage, createPicture } =
    await startChat()
  const note = await write({ text: 'is it open?' })
  const heard = await waitForSource(note)
  const { conversation } = heard
  const answer = server.writeAsAgent(conversation, 'Until **eight**.', { replyTo: heard.id })
  const got = await waitForMessage(anna, ({ text }) => text === '*Clara:*\nUntil *eight*.')
  expect(got.quoted).toBe(note)
  server.writeAsAgent(conversation, 'a note', { private: true })
  await world.sim('POST', `/messages/${got.id}/receipt`, { by: anna, type: 'read' })
  await waitForStatus(answer, 'read')
  expect((await device.caller.post('/message/find', { id: got.id })).body.messages).toMatchObject([
    { track_source: 'chatwoot', track_id: `${answer.id}.0.0` },
  ])
  server.writeAsAgent(conversation, 'ours', {
    files: [
      ['window.jpg', 'image/jpeg', await createPicture()],
      ['Recording.wav', 'audio/wav', createWav(1)],
      ['price list.pdf', 'application/pdf', Buffer.from('%PDF-1.4 prices')],
    ],
  })
  await waitForMessage(anna, ({ type, caption }) => type === 'image' && caption === '*Clara:*\nours')
  await waitForMessage(anna, ({ type, file }) => type === 'audio' && file?.voice)
  await waitForMessage(anna, ({ type }) => type === 'document')
  const reply = await waitForSource(await write({ text: 'good', quoted: got.id }))
  expect(reply.content_attributes).toMatchObject({ in_reply_to: answer.id })
  server.deleteMessage(answer)
  await waitForMessage(anna, ({ type, target }) => type === 'revoke' && target === got.id)

  const own = (await world.sim('POST', '/messages', { from: device.number, to: anna, text: 'by hand' })).id
  expect(await waitForSource(own as string)).toMatchObject({
    message_type: 'outgoing',
    conversation: { id: conversation.id },
  })
  const group = { subject: 'Team', owner: anna, participants: [device.number] }
  const { jid } = (await world.sim('POST', '/groups', group)) as { jid: string }
  const said = await waitForSource(await write({ to: jid, text: 'hello all' }))
  expect(said.content).toBe(`**Anna (+${anna})**\n\nhello all`)
  expect(said.conversation.contact).toMatchObject({ identifier: jid, name: 'Team', phone_number: null })
  server.writeAsAgent(said.conversation, 'hello you')
  await waitForMessage(anna, ({ text }) => text === '*Clara:*\nhello you')
  await world.sim('PATCH', `/groups/${jid}`, { by: anna, subject: 'The team' })
  await until(() => said.conversation.contact.name === 'The team')

  expect(server.conversations).toHaveLength(2)
  const sources = server.messages.flatMap(({ source_id }) => source_id ?? [])
  expect(sources).toHaveLength(new Set(sources).size)
  const { messages } = await world.sim('GET', `/phones/${anna}/inbox`)
  const texts = (messages as Seen[]).flatMap(({ type, text }) => (type === 'text' ? text : []))
  expect(texts).toEqual(['*Clara:*\nUntil *eight*.', 'by hand', '*Clara:*\nhello you'])
  expect(server.callbacks.filter(({ outcome }) => outcome !== '204')).toEqual([])
})

test('an agent learns why a message failed, tries it again, begins chats, and nobody else calls the bridge', async () => {
  const { server, service, write, waitForSource, waitForStatus, waitForMessage } = await startChat()
  const nobody = server.createConversation(server.createContact('Nobody', null, '+5511000000001'))
  const lost = server.writeAsAgent(nobody, 'are you there?')
  await waitForStatus(lost, 'failed')
  expect(lost.content_attributes.external_error).toMatch(/not_on_network/)
  await world.sim('POST', '/phones', { number: '5511000000001', name: 'Late' })
  server.retryAsAgent(lost)
  await waitForMessage('5511000000001', ({ text }) => text === '*Clara:*\nare you there?')
  const late = await waitForSource(await write({ from: '5511000000001', text: 'now I am' }))
  expect(late.conversation.id).toBe(nobody.id)
  expect((await service.post('/service', { event: 'message_created' })).status).toBe(401)
  expect((await service.post('/service?secret=no', { event: 'message_created' })).status).toBe(401)
  server.isSigning = false
  server.callbackUrl += `?secret=${CALLBACK_SECRET}`
  server.writeAsAgent(nobody, 'unsigned')
  await waitForMessage('5511000000001', ({ text }) => text === '*Clara:*\nunsigned')
})

test('a bridge that is killed before and after each of its requests puts nothing into Chatwoot twice and sends nothing twice', {
  timeout: 200_000,
}, async () => {
  const { server, restart, writeText, waitForMessage } = await runChatwoot()
  const killed = new Set<string>()
  server.watch = async (moment, request) => {
    // The request that is repeated after the kill passes.
    if (killed.has(`${moment} ${request}`)) return false
    killed.add(`${moment} ${request}`)
    await restart()
    return true
  }
  const ben = await createPhone(world, 'Ben')
  const document = Buffer.from('a file').toString('base64')
  const ids = [await writeText(ben, 'one'), await writeText(ben, 'two')]
  const { conversation: to } = await findOne(server, ({ source_id }) => source_id === ids[1], 60_000)
  expect(to.contact.identifier).toBe(`${ben}@s.msgnet.net`)
  server.writeAsAgent(to, 'three', {
    files: [['a.txt', 'text/plain', Buffer.from(document, 'base64')]],
  })
  const got = await waitForMessage(ben, ({ type }) => type === 'document', 60_000)
  await world.sim('POST', `/messages/${got.id}/receipt`, { by: ben, type: 'read' })
  await until(() => killed.has('after PATCH /conversations/:id/messages/:id'), { within: 60_000 })
  await restart()
  const last = await writeText(ben, 'four')
  await until(() => server.messages.some(({ source_id }) => source_id === last), { within: 60_000 })
  expect(server.contacts).toHaveLength(1)
  expect(server.conversations).toHaveLength(1)
  expect(server.messages.map(({ source_id }) => source_id)).toEqual([...ids, null, last])
  const { messages } = await world.sim('GET', `/phones/${ben}/inbox`)
  expect((messages as Seen[]).filter(({ type }) => type === 'document')).toHaveLength(1)
  expect(killed).toContain('before GET file')
  expect(killed).toContain('after POST /contacts')
  expect(killed).toContain('after POST /conversations')
  expect(killed).toContain('after POST /conversations/:id/messages')
})

test('the messages of the last days are taken over once, in their order, into conversations that nobody has to answer', {
  timeout: 60_000,
}, async () => {
  const past = { chats: 3, messages: 12, days: 10 }
  const { server, device, restart } = await runChatwoot({ HISTORY_DAYS: '30' }, (on, fresh) =>
    linkWithPast(on, fresh, past),
  )
  await until(
    () =>
      server.conversations.length === 3 && server.conversations.every(({ status }) => status === 'resolved'),
  )
  const stored: Seen[] = (await device.caller.post('/message/find', { limit: 100 })).body.messages
  await restart()
  const expected = stored.map(({ messageid }) => messageid).sort()
  expect(expected.length).toBeGreaterThan(5)
  expect(server.messages.map(({ source_id }) => source_id).sort()).toEqual(expected)
  for (const conversation of server.conversations) {
    const own = server.messages.filter((one) => one.conversation === conversation)
    const times = own.map(({ content_attributes }) => Number(content_attributes.external_created_at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
  }
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
