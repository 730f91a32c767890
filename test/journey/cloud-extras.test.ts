// What the Cloud API has beyond messages and statuses: fields that a webhook names when it is saved, blocked people, the about text, the bounds of uploads.

import { createServer } from 'node:http'
import { chargeUpload } from '@msgnet/edge/http/body-costs.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createPhone, type LinkedDevice, linkDevice, SECRET } from '../device.ts'
import { startFileServer } from '../file-server.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

interface Change {
  field: string
  value: Seen
  at: number
}

/** By the path of the receiver. */
const changes: Record<string, Change[]> = { '/named': [], '/plain': [], '/waits': [] }
/** The receiver of this path refuses. */
let refused = ''
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver')
    const challenge = searchParams.get('hub.challenge')
    if (challenge !== null) return response.end(challenge)
    const { entry } = JSON.parse(Buffer.concat(pieces).toString())
    if (pathname !== refused) changes[pathname]?.push({ ...entry[0].changes[0], at: Date.now() })
    response.writeHead(pathname === refused ? 500 : 200).end()
  })
})
const place = await listenAtReserved(server)
const files = await startFileServer()
const handle = 'shop'
let world: BorrowedWorld
let device: LinkedDevice
let friend: string
let graph: ReturnType<typeof createPlainCaller>

beforeAll(async () => {
  world = await borrowWorld({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  const { body } = await world.admin.post('/instance/init', { name: 'Shop', handle })
  const caller = createPlainCaller(world.run.baseUrl, { token: body.token })
  graph = createPlainCaller(`${world.run.baseUrl}/graph/v23.0`, { authorization: `Bearer ${body.token}` })
  device = await linkDevice(world, { id: body.instance.id, token: body.token, caller })
  friend = await createPhone(world, 'Ána')
  await subscribe('/named', ['messages', 'edit', 'revoke', 'smb_message_echoes', 'groups'])
  await subscribe('/plain')
})
afterAll(async () => {
  await world.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function subscribe(path: string, fields?: string[]): Promise<void> {
  const { body } = await graph.post(`/${handle}/subscribed_apps`, {
    override_callback_uri: `http://${place}${path}`,
    verify_token: 'a token',
    secret: SECRET,
    ...(fields && { subscribed_fields: fields }),
  })
  expect(body).toEqual({ success: true })
}
const waitAt = (path: string, matches: (value: Seen) => boolean): Promise<Change> =>
  until(() => changes[path]?.find(({ value }) => matches(value)))
const readMessage = (value: Seen): Seen => value.messages?.[0]
const receiveText = async (text: string, wish: object = {}): Promise<string> => {
  const { id } = await world.sim('POST', '/messages', { from: friend, to: device.number, text, ...wish })
  return String(id)
}
/** What comes after it is not on its way any more. */
async function waitForNext(text: string): Promise<void> {
  await receiveText(text)
  for (const path of ['/named', '/plain'])
    await waitAt(path, (value) => readMessage(value)?.text?.body === text)
}

test('edits and deletions come to a webhook that has named them, and to no other', async () => {
  const id = await receiveText('befor')
  const person = { wa_id: friend, user_id: expect.stringMatching(/^BR\.\d+$/) }
  await world.sim('POST', `/messages/${id}/edit`, { by: friend, text: 'before' })
  const edit = await waitAt('/named', (value) => readMessage(value)?.type === 'edit')
  expect(edit).toMatchObject({
    field: 'messages',
    value: {
      contacts: [{ profile: { name: 'Ána' }, ...person }],
      messages: [
        {
          from: friend,
          id: expect.stringMatching(/^wamid\./),
          timestamp: expect.stringMatching(/^\d{10}$/),
          edit: { original_message_id: `wamid.${id}`, message: { type: 'text', text: { body: 'before' } } },
        },
      ],
    },
  })
  await world.sim('POST', `/messages/${id}/revoke`, { by: friend })
  const revoke = await waitAt('/named', (value) => readMessage(value)?.type === 'revoke')
  expect(readMessage(revoke.value)).toMatchObject({
    from: friend,
    revoke: { original_message_id: `wamid.${id}` },
  })
  // What the account itself edits or deletes is no message of a person.
  const { messages } = (await graph.post(`/${handle}/messages`, { to: friend, text: { body: 'mine' } })).body
  const own = messages[0].id.replace('wamid.', '')
  await waitAt('/named', (value) => value.statuses?.[0].id === messages[0].id)
  await device.caller.post('/message/edit', { id: own, text: 'ours' })
  await device.caller.post('/message/delete', { id: own })
  await waitForNext('after all')
  const types = (path: string) => changes[path]?.flatMap(({ value }) => readMessage(value)?.type ?? [])
  expect(types('/named')).toEqual(['text', 'edit', 'revoke', 'text'])
  expect(types('/plain')).toEqual(['text', 'text'])
})

test('what the phone itself sends is an echo for a webhook that has named it', async () => {
  const id = await receiveText('from the phone', { from: device.number, to: friend })
  const echo = await waitAt('/named', ({ message_echoes }) => message_echoes !== undefined)
  expect(echo.field).toBe('smb_message_echoes')
  expect(echo.value).toEqual({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: device.number, phone_number_id: handle },
    message_echoes: [
      {
        from: device.number,
        to: friend,
        to_user_id: expect.stringMatching(/^BR\.\d+$/),
        id: `wamid.${id}`,
        timestamp: expect.stringMatching(/^\d{10}$/),
        type: 'text',
        text: { body: 'from the phone' },
      },
    ],
  })
  await waitForNext('after the echo')
  expect(changes['/plain']?.some(({ value }) => value.message_echoes)).toBe(false)
})

test('a message of a group has its id for a webhook that has named groups', async () => {
  const group = { subject: 'Team', owner: friend, participants: [device.number] }
  const { jid } = await world.sim('POST', '/groups', group)
  await receiveText('to all', { to: jid })
  const { value } = await waitAt('/named', (one) => readMessage(one)?.text?.body === 'to all')
  expect(readMessage(value)).toMatchObject({ from: friend, group_id: jid })
  await waitForNext('after the group')
  expect(changes['/plain']?.some(({ value: one }) => readMessage(one)?.group_id)).toBe(false)
})

test('the status of a send comes a second after the send, when its caller has read the response', async () => {
  const { messages } = (await graph.post(`/${handle}/messages`, { to: friend, text: { body: 'hold' } })).body
  const { at, value } = await waitAt('/plain', (one) => one.statuses?.[0].id === messages[0].id)
  expect(value.statuses[0].status).toBe('sent')
  const [event] = await world.queryDatabase(
    `select at from events where type = 'messages_update' and messageid = '${messages[0].id.slice(6)}' order by seq`,
  )
  // A timer may be a few milliseconds early.
  expect(at - Number(event?.at)).toBeGreaterThanOrEqual(990)
})

test('other fields of a webhook are another destination: what waited for those before is not sent', async () => {
  await subscribe('/waits', ['groups'])
  refused = '/waits'
  await receiveText('waits')
  const readWebhook = async (): Promise<Seen> => {
    const { webhooks } = (await device.caller.get('/v1/webhooks')).body
    return webhooks.find(({ url }: Seen) => url.endsWith('/waits'))
  }
  await until(async () => (await readWebhook()).deliveryStatus.failingSince !== null)
  await subscribe('/waits', ['groups'])
  const { id, deliveryStatus } = await readWebhook()
  expect(deliveryStatus.pending).toBe(1)
  await subscribe('/waits', ['edit'])
  refused = ''
  await receiveText('comes')
  await waitAt('/waits', (value) => readMessage(value)?.text?.body === 'comes')
  const { errors } = (await device.caller.get(`/v1/webhooks/${id}/errors`)).body
  expect(errors[0]).toMatchObject({ lastError: 'destination_changed' })
  expect(changes['/waits']).toHaveLength(1)
  await device.caller.delete(`/v1/webhooks/${id}`)
})

test('a text with preview_url has the preview of its link, and one without it has none', async () => {
  const page = Buffer.from('<title>The Shop</title>')
  const body = files.serveFile('/shop', page, 'text/html')
  const send = async (text: object): Promise<Seen> => {
    const sent = (await graph.post(`/${handle}/messages`, { to: friend, text })).body.messages[0].id
    const id = sent.replace('wamid.', '')
    const find = async () => (await world.sim('GET', `/phones/${friend}/inbox`)).messages as Seen[]
    return until(async () => (await find()).find((message) => message.id === id))
  }
  expect((await send({ body, preview_url: true })).preview).toMatchObject({ link: body, title: 'The Shop' })
  expect((await send({ body, preview_url: false })).preview).toBeUndefined()
})

test('people are blocked and unblocked, and what is refused stands beside what is done', async () => {
  const nobody = '5511000000000'
  const users = [{ user: friend }, { user: nobody }]
  const blocked = await graph.post(`/${handle}/block_users`, { block_users: users })
  expect(blocked.body).toMatchObject({
    messaging_product: 'whatsapp',
    block_users: {
      added_users: [{ input: friend, wa_id: friend }],
      failed_users: [{ input: nobody, errors: [{ code: 131026 }] }],
    },
  })
  expect((await graph.get(`/${handle}/block_users`)).body.data).toEqual([
    { messaging_product: 'whatsapp', wa_id: friend },
  ])
  const body = { block_users: [{ user: friend }] }
  const unblocked = await graph.request('DELETE', `/${handle}/block_users`, body)
  expect(unblocked.body.block_users).toEqual({ removed_users: [{ input: friend, wa_id: friend }] })
  expect((await graph.get(`/${handle}/block_users`)).body.data).toEqual([])
  const none = await graph.post(`/${handle}/block_users`, {})
  expect([none.status, none.body.error.code]).toEqual([400, 131008])
})

test('the about text is changed and shown, and nothing else of a profile', async () => {
  const path = `/${handle}/whatsapp_business_profile`
  expect((await graph.post(path, { about: 'Open all day' })).body).toEqual({ success: true })
  expect((await graph.get(path)).body.data).toEqual([
    { messaging_product: 'whatsapp', about: 'Open all day' },
  ])
  const other = await graph.post(path, { about: 'Never', address: 'Here' })
  expect([other.status, other.body.error.code]).toEqual([400, 100])
})

test('beyond what an instance may have, its oldest uploads are deleted', async () => {
  const insertUpload = (id: string, mib: number, at: number) =>
    world.queryDatabase(`insert into uploaded_files (id, instance_id, mimetype, file_name, size, sha256, created_at, complete)
      values ('${id}', '${device.id}', 'image/png', '', ${mib * 1024 * 1024}, '', ${at}, 1)`)
  await insertUpload('oldest', 64, Date.now() - 2000)
  await insertUpload('older', 64, Date.now() - 1000)
  const form = new FormData()
  form.set('file', new Blob(['%PDF-1.4 paper'], { type: 'application/pdf' }), 'paper.pdf')
  const uploaded = await fetch(`${world.run.baseUrl}/graph/${handle}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${device.token}` },
    body: form,
  })
  const { id } = (await uploaded.json()) as Seen
  const rows = await world.queryDatabase(`select id from uploaded_files where instance_id = '${device.id}'`)
  expect(rows.map((row) => row.id).sort()).toEqual([id, 'older'].sort())
})

test('past the bytes of a minute an upload is refused', () => {
  const caller = { kind: 'instance', id: crypto.randomUUID(), name: 'Many' } as const
  const request = { set: () => undefined }
  const store = (mib: number) => () => chargeUpload(request, caller, mib * 1024 * 1024)
  expect(store(120)).not.toThrow()
  expect(store(16)).not.toThrow()
  expect(store(1)).toThrow(expect.objectContaining({ fault: 'quota_reached' }))
  expect(() => chargeUpload(request, { ...caller, id: 'another' }, 1)).not.toThrow()
})

test('a file that has the words of its boundary in a line is stored whole', async () => {
  const file = '%PDF-1.4 of X, and --X\r\nX--\r\n'
  const part =
    'content-disposition: form-data; name="file"; filename="paper.pdf"\r\ncontent-type: application/pdf'
  const uploaded = await fetch(`${world.run.baseUrl}/graph/${handle}/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${device.token}`,
      'content-type': 'multipart/form-data; boundary=X',
    },
    body: `--X\r\n${part}\r\n\r\n${file}\r\n--X--\r\n`,
  })
  expect(uploaded.status).toBe(200)
  const { id } = (await uploaded.json()) as Seen
  expect((await graph.get(`/${id}`)).body).toMatchObject({
    file_size: file.length,
    mime_type: 'application/pdf',
  })
})
