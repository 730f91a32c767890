// Requests of the Cloud API that are repeated, come twice at once, or fail after their effect.

import { createServer } from 'node:http'
import { sendMessage } from '@msgnet/edge/cloud/send-cloud-message.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'

const handle = 'shop'
const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://receiver')
  response.end(searchParams.get('hub.challenge') ?? '')
})
const place = await listenAtReserved(server)
let world: BorrowedWorld
let device: LinkedDevice
let friend: string
let graph: ReturnType<typeof createPlainCaller>

beforeAll(async () => {
  world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle })
  const caller = createPlainCaller(world.run.baseUrl, { token: body.token })
  graph = createPlainCaller(`${world.run.baseUrl}/graph`, { authorization: `Bearer ${body.token}` })
  device = await linkDevice(world, { id: body.instance.id, token: body.token, caller })
  friend = await createPhone(world, 'Ána')
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function uploadPaper(): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob(['%PDF-1.4 paper'], { type: 'application/pdf' }), 'paper.pdf')
  const uploaded = await fetch(`${world.run.baseUrl}/graph/${handle}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${device.token}` },
    body: form,
  })
  return ((await uploaded.json()) as Seen).id
}

test('a file that was sent by a key has the same response by it, though the file is deleted since', async () => {
  const id = await uploadPaper()
  const key = { 'idempotency-key': crypto.randomUUID() }
  const message = { to: friend, type: 'document', document: { id } }
  const send = (headers: Record<string, string>) => graph.post(`/${handle}/messages`, message, headers)
  const sent = await send(key)
  expect(sent.status).toBe(200)
  expect((await graph.delete(`/${id}`)).body).toEqual({ success: true })
  const again = await send(key)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  expect(again.body).toEqual(sent.body)
  // A new key finds no file, and neither does none.
  const others = [await send({ 'idempotency-key': crypto.randomUUID() }), await send({})]
  const [withKey, without] = others.map(({ status, body }) => ({ status, code: body.error.code }))
  expect(withKey).toEqual(without)
  expect(withKey?.status).toBe(400)
})

test('an app that is subscribed twice at once has one webhook', async () => {
  const subscribe = () =>
    graph.post(`/${handle}/subscribed_apps`, {
      override_callback_uri: `http://${place}/twice`,
      verify_token: 'a token',
      secret: SECRET,
    })
  const saved = await Promise.all([subscribe(), subscribe(), subscribe()])
  expect(saved.map(({ body }) => body)).toEqual(Array.from(saved, () => ({ success: true })))
  const { webhooks } = (await device.caller.get('/v1/webhooks')).body
  expect(webhooks.map(({ url, format }: Seen) => [url, format])).toEqual([[`http://${place}/twice`, 'cloud']])
})

test('a message that is marked as read is a success, also where nobody can be shown that one types', async () => {
  const answers: Record<string, object> = { '/message/markread': { results: [{ error: '' }] } }
  const asked: string[] = []
  const serveContract = async ({ url }: Request) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    const answer = answers[pathname]
    return Response.json(answer ?? { error: 'not_connected' }, { status: answer ? 200 : 409 })
  }
  const url = `http://gateway/${handle}/messages`
  const context = {
    req: { url, raw: new Request(url, { method: 'POST' }) },
    executionCtx: { serveContract, form: {} },
    env: {},
    var: { instance: { id: 'one', handle, jid: '' }, requestId: 'one' },
    set: () => undefined,
  }
  const body = { status: 'read', message_id: 'wamid.3EB0', typing_indicator: { type: 'text' } }
  const input = { params: { pn: handle }, query: {}, body }
  expect(await sendMessage(context as never, input)).toEqual({ success: true })
  expect(asked).toEqual(['/message/markread', '/message/find'])
})
