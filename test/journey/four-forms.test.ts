// One instance with four webhooks in four forms: what happens to it comes to each in its form, in order, signed as that form is, and with the
// same bytes after a kill of the edge.
// @module-tag slow

import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const forms = ['contract', 'uazapi', 'evolution', 'cloud'] as const
type Form = (typeof forms)[number]

interface Posted {
  form: Form
  id: string
  headers: Record<string, string>
  raw: string
  body: Seen
}

const posted: Posted[] = []
/** Requests that are not answered: the edge is killed while they wait. */
let unanswered: ServerResponse[] | undefined
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const raw = Buffer.concat(pieces).toString()
    const headers = request.headers as Record<string, string>
    const form = request.url?.slice(1) as Form
    posted.push({ form, id: headers['webhook-id'] ?? '', headers, raw, body: JSON.parse(raw) })
    if (unanswered) unanswered.push(response)
    else response.end()
  })
  // The edge is killed.
  request.on('error', () => undefined)
})
const place = await listenAtReserved(server)
const handle = 'shop'
let world: World
let device: LinkedDevice
let friend: string

beforeAll(async () => {
  world = await startWorld({ DIALECTS: 'uazapi,evolution,cloud', WEBHOOK_ALLOWLIST: place })
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle })
  const caller = createPlainCaller(world.run.baseUrl, { token: body.token })
  const events = ['messages', 'messages_update', 'messages_edit', 'groups', 'connection']
  for (const format of forms) {
    const webhook = { url: `http://${place}/${format}`, events, format, secret: SECRET }
    expect((await caller.post('/v1/webhooks', webhook)).status).toBe(200)
  }
  device = await linkDevice(world, { id: body.instance.id, token: body.token, caller })
  friend = await createPhone(world, 'Ána')
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const readValue = (body: Seen): Seen => body.entry?.[0].changes[0].value ?? {}
const listPosted = (form: Form): Posted[] => posted.filter((one) => one.form === form)
const waitFor = (form: Form, matches: (body: Seen) => boolean): Promise<Posted> =>
  until(() => listPosted(form).find(({ body }) => matches(body)), { within: 60_000 })

const callGraph = async (path: string, init: RequestInit = {}): Promise<Seen> => {
  const headers = { authorization: `Bearer ${device.token}`, ...init.headers }
  return (await fetch(`${world.run.baseUrl}/graph/v23.0${path}`, { ...init, headers })).json()
}

/** The text of a received message in each form. */
const isText: Record<Form, (body: Seen, text: string) => boolean> = {
  contract: (body, text) => body.EventType === 'messages' && body.message.text === text,
  uazapi: (body, text) => body.EventType === 'messages' && body.message.text === text,
  evolution: (body, text) => body.event === 'messages.upsert' && body.data.message.conversation === text,
  cloud: (body, text) => readValue(body).messages?.[0].text?.body === text,
}

/** Waits for one request to each of these forms that fits. */
const waitForAll = (matches: Partial<Record<Form, (body: Seen) => boolean>>) =>
  Promise.all(
    Object.entries(matches).map(([form, one]) => waitFor(form as Form, one as (body: Seen) => boolean)),
  )
const waitForText = (text: string) =>
  Promise.all(forms.map((form) => waitFor(form, (body) => isText[form](body, text))))

test('what waits for its answer when the edge is killed comes again with the same id and bytes, and uploads are kept', {
  timeout: 120_000,
}, async () => {
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'before' })
  await waitForText('before')
  const form = new FormData()
  form.set('file', new Blob(['%PDF-1.4 paper'], { type: 'application/pdf' }), 'paper.pdf')
  const uploaded = await callGraph(`/${handle}/media`, { method: 'POST', body: form })
  unanswered = []
  const { edge } = world.run.parts
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'during' })
  const first = await waitForText('during')
  process.kill(world.findPid('edge'), 'SIGKILL')
  unanswered = undefined
  await until(() => world.run.parts.edge !== edge, { within: 30_000 })
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'after' })
  await waitForText('after')
  for (const { form, id, raw } of first) {
    const same = listPosted(form).filter((one) => one.id === id)
    expect(same.length).toBeGreaterThan(1)
    expect(new Set(same.map((one) => one.raw))).toEqual(new Set([raw]))
  }
  // What was uploaded is still there.
  const found = await callGraph(`/${uploaded.id}`)
  expect(found).toMatchObject({ mime_type: 'application/pdf' })
  expect(await (await fetch(found.url)).text()).toBe('%PDF-1.4 paper')
})

const sendChoices = (interactive: object): Promise<Seen> =>
  callGraph(`/${handle}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: friend, type: 'interactive', interactive }),
  })
const readInbox = (words: string): Promise<Seen> =>
  until(async () => {
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    return (messages as Seen[]).find(({ text }) => text?.startsWith(words))
  })
/** Returns it as the Cloud API's receiver gets it. */
async function answer(text: string): Promise<Seen> {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text })
  const isAnswer = (body: Seen) => readValue(body).messages?.[0].id === `wamid.${id}`
  return readValue((await waitFor('cloud', isAnswer)).body).messages[0]
}
const buttons = ['Today', 'Tomorrow'].map((title) => ({
  type: 'reply',
  reply: { id: `on-${title}`, title },
}))

test('buttons and links of the Cloud API go as texts where the server sends none, and a number is the tap on a button', async () => {
  const asked = await sendChoices({ type: 'button', body: { text: 'When?' }, action: { buttons } })
  expect((await readInbox('When?')).type).toBe('text')
  expect(await answer('2.')).toMatchObject({
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'on-Tomorrow', title: 'Tomorrow' } },
    context: { from: device.number, id: asked.messages[0].id },
  })
  const parameters = { display_text: 'Open', url: 'https://shop.example' }
  await sendChoices({
    type: 'cta_url',
    body: { text: 'Our shop' },
    action: { name: 'cta_url', parameters },
  })
  expect((await readInbox('Our shop')).text).toBe('Our shop\n\nOpen: https://shop.example')
  const header = { type: 'image', image: { link: 'https://shop.example/a.png' } }
  const pictured = await sendChoices({ type: 'button', header, body: { text: 'When?' }, action: { buttons } })
  expect(pictured.error.code).toBe(131051)
  // The contract itself sends none.
  const menu = { number: friend, type: 'button', text: 'When?', choices: ['Today'] }
  expect((await device.caller.post('/send/menu', menu)).status).toBe(400)
})

test('a number after a kill of the host is the choice in a list of the Cloud API', {
  timeout: 120_000,
}, async () => {
  const rows = [
    { id: 'b1', title: 'Brass', description: '30 cm' },
    { id: 'g1', title: 'Glass' },
  ]
  const action = { button: 'Lamps', sections: [{ title: 'Lamps', rows }] }
  const list = await sendChoices({
    type: 'list',
    body: { text: 'Which?' },
    footer: { text: 'Until six' },
    action,
  })
  expect(await readInbox('Which?')).toMatchObject({
    type: 'text',
    text: 'Which?\n\nLamps\n1. Brass (30 cm)\n2. Glass\nUntil six',
  })
  const host = world.run.parts['session host']
  process.kill(world.findPid('session host'), 'SIGKILL')
  await until(() => world.run.parts['session host'] !== host, { within: 60_000 })
  expect(await answer('1')).toMatchObject({
    type: 'interactive',
    interactive: { type: 'list_reply', list_reply: { id: 'b1', title: 'Brass' } },
    context: { from: device.number, id: list.messages[0].id },
  })
})

test('a send with its receipts, an edit, a reaction, a change of a group and the end of the session come in each form', {
  timeout: 120_000,
}, async () => {
  const { caller } = device
  const { messageid } = (await caller.post('/send/text', { number: friend, text: 'out' })).body
  await world.sim('POST', `/messages/${messageid}/receipt`, { by: friend, type: 'read' })
  const isUpdate = (body: Seen, state: string) =>
    body.EventType === 'messages_update' && body.state === state && body.event.MessageIDs[0] === messageid
  await waitForAll({
    contract: (body) => isUpdate(body, 'Read'),
    uazapi: (body) => isUpdate(body, 'Read'),
    evolution: ({ event, data }) =>
      event === 'messages.update' && data.keyId === messageid && data.status === 'READ',
    cloud: (body) => {
      const [status] = readValue(body).statuses ?? []
      return status?.id === `wamid.${messageid}` && status.status === 'read'
    },
  })

  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'befor' })
  await waitForText('befor')
  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'corrected' })
  await waitForAll({
    contract: (body) => body.EventType === 'messages_edit' && body.event.messageid === id,
    uazapi: (body) => body.EventType === 'messages' && body.message.edited === id,
    evolution: ({ event, data }) => event === 'messages.edited' && data.key.id === id,
  })

  await world.sim('POST', `/messages/${messageid}/react`, { by: friend, text: '👍' })
  await waitForAll({
    contract: (body) => body.message?.reaction === messageid,
    uazapi: (body) => body.message?.reaction === messageid,
    evolution: ({ data }) => data.message?.reactionMessage?.key.id === messageid,
    cloud: (body) => readValue(body).messages?.[0].reaction?.message_id === `wamid.${messageid}`,
  })

  const group = { subject: 'Team', owner: friend, participants: [device.number] }
  const { jid } = await world.sim('POST', '/groups', group)
  await world.sim('PATCH', `/groups/${jid}`, { by: friend, subject: 'Crew' })
  const isRename = (body: Seen) => body.EventType === 'groups' && JSON.stringify(body).includes('Crew')
  await waitForAll({
    contract: isRename,
    uazapi: isRename,
    evolution: ({ event, data }) => event === 'groups.update' && data[0].subject === 'Crew',
  })

  await world.sim('POST', `/phones/${device.number}/unlink`, {})
  const isEnd = (body: Seen) =>
    body.EventType === 'connection' && body.instance.lastDisconnectReason === 'logged_out'
  await waitForAll({
    contract: isEnd,
    uazapi: isEnd,
    evolution: ({ event, data }) =>
      event === 'connection.update' && data.state === 'close' && data.statusReason === 401,
  })
})

test('each form is in the order of the events, and each request is signed as its form is', async () => {
  const seqById = new Map(listPosted('contract').map(({ id, body }) => [id, body.seq as number]))
  for (const form of forms) {
    const firstTimes = listPosted(form).filter(
      ({ id }, at, all) => at === all.findIndex((one) => one.id === id),
    )
    const seqs = firstTimes.map(({ id }) => seqById.get(id)).filter((seq) => seq !== undefined)
    expect(seqs.length).toBeGreaterThan(5)
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
    for (const { raw, headers } of firstTimes) {
      if (form !== 'cloud') new Webhook(SECRET).verify(raw, headers)
      else {
        const expected = createHmac('sha256', SECRET).update(raw).digest('hex')
        expect(headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
        expect(headers).not.toHaveProperty('webhook-signature')
      }
    }
  }
  // What the Cloud API has no words for does not come: neither the edit, nor the group, nor the end of the session.
  expect(
    listPosted('cloud').filter(({ body }) => /corrected|Crew|logged_out/.test(JSON.stringify(body))),
  ).toEqual([])
})
