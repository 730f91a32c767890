// The form of Evolution below its prefix: sends and webhooks as its clients ask for them and read them.

import { expect, test } from 'vitest'
import { borrowEvolution, NAME, nameIn, PIXEL, TOKEN, toOuter } from '../evolution-scene.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, own, account, friend, created, place, posted, failing, waitAt } = await borrowEvolution()

const isMessage = (event: string, id: string) => (body: Seen) =>
  body.event === event && body.data.key?.id === id

test('one request creates an instance with the key that its caller chose, its webhook and a QR code', async () => {
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    instance: {
      instanceName: NAME,
      instanceId: expect.any(String),
      integration: 'WHATSAPP-BAILEYS',
      webhookWaBusiness: null,
      accessTokenWaBusiness: '',
      status: 'connecting',
    },
    hash: TOKEN,
    webhook: { webhookUrl: `http://${place}/hook`, webhookByEvents: false, webhookBase64: false },
    settings: {
      rejectCall: false,
      msgCall: '',
      groupsIgnore: false,
      alwaysOnline: false,
      readMessages: false,
      readStatus: false,
      syncFullHistory: false,
    },
    qrcode: {
      pairingCode: null,
      code: expect.any(String),
      base64: expect.stringMatching(/^data:image\/png;base64,/),
      count: 1,
    },
  })
  const [row] = await world.queryDatabase("SELECT * FROM instances WHERE handle = 'Loja-S-o-Jo-o'")
  expect(JSON.stringify(row)).not.toContain(TOKEN)
  const found = await own.get(nameIn('/webhook/find'))
  expect([found.status, found.body]).toEqual([
    200,
    {
      id: expect.any(String),
      url: `http://${place}/hook`,
      enabled: true,
      events: [],
      headers: null,
      webhookByEvents: false,
      webhookBase64: false,
    },
  ])
})

test('a webhook gets the QR code and each state of the connection', async () => {
  const code = await waitAt('/hook', ({ event, data }) => event === 'qrcode.updated' && data.qrcode)
  expect(code.body.data.qrcode).toEqual({
    instance: NAME,
    pairingCode: null,
    code: expect.any(String),
    base64: expect.stringMatching(/^data:image\/png;base64,/),
  })
  const open = await waitAt('/hook', ({ data }) => data.state === 'open')
  expect(open.body).toEqual({
    event: 'connection.update',
    instance: NAME,
    data: {
      instance: NAME,
      state: 'open',
      statusReason: 200,
      wuid: toOuter(account),
      profileName: null,
      profilePictureUrl: null,
    },
    destination: `http://${place}/hook`,
    date_time: expect.stringMatching(/^\d{4}-.*Z$/),
    sender: toOuter(account),
    server_url: `${world.run.baseUrl}/evolution`,
    apikey: null,
  })
  expect(open.headers).toMatchObject({ 'x-shop': 'one' })
})

test('a text is sent as 2.x and 1.x ask for it, and is told as sent, then in its progress', async () => {
  const bodies = [
    { number: toOuter(friend), text: 'of 2', delay: 1, linkPreview: false },
    { number: friend, options: { delay: 1, presence: 'composing' }, textMessage: { text: 'of 1' } },
  ]
  for (const body of bodies) {
    const sent = await own.post(nameIn('/message/sendText'), body)
    const text = body.text ?? body.textMessage?.text
    expect([sent.status, sent.body]).toEqual([
      201,
      {
        key: {
          remoteJid: toOuter(friend),
          remoteJidAlt: expect.stringMatching(/@lid$/),
          fromMe: true,
          id: expect.any(String),
        },
        pushName: expect.any(String),
        status: 'PENDING',
        message: { conversation: text },
        contextInfo: null,
        messageType: 'conversation',
        messageTimestamp: expect.any(Number),
        instanceId: created.body.instance.instanceId,
        source: 'unknown',
      },
    ])
    const { id } = sent.body.key
    const told = await waitAt('/hook', isMessage('send.message', id))
    expect(told.body.data).toMatchObject({ message: { conversation: text }, messageType: 'conversation' })
    const update = await waitAt('/hook', ({ data }) => data.keyId === id && data.status === 'DELIVERY_ACK')
    expect(update.body).toMatchObject({
      event: 'messages.update',
      data: { keyId: id, remoteJid: toOuter(friend), fromMe: true, status: 'DELIVERY_ACK' },
    })
  }
  expect(posted.some(({ body }) => body.event === 'messages.upsert' && body.data.key.fromMe)).toBe(false)
})

test('a received text has its writer by number, and the hidden id beside it', async () => {
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'oi' })
  const { body } = await waitAt('/hook', ({ data }) => data.message?.conversation === 'oi')
  expect(body).toMatchObject({ event: 'messages.upsert', instance: NAME })
  expect(body.data).toEqual({
    key: {
      remoteJid: toOuter(friend),
      remoteJidAlt: expect.stringMatching(/^\d+@lid$/),
      fromMe: false,
      id: expect.any(String),
      senderPn: toOuter(friend),
      senderLid: expect.stringMatching(/^\d+@lid$/),
    },
    pushName: 'Ana',
    status: 'DELIVERY_ACK',
    message: { conversation: 'oi' },
    contextInfo: null,
    messageType: 'conversation',
    messageTimestamp: expect.any(Number),
    instanceId: created.body.instance.instanceId,
    source: 'unknown',
  })
  const answer = await own.post(nameIn('/message/sendText'), {
    number: friend,
    text: 'tudo bem?',
    quoted: { key: { id: body.data.key.id } },
  })
  expect(answer.body.contextInfo).toMatchObject({ stanzaId: body.data.key.id })
})

test('a picture is sent whatever type its caller says, and its file comes back as base64', async () => {
  for (const media of [PIXEL, `data:image/png;base64,${PIXEL}`]) {
    const sent = await own.post(nameIn('/message/sendMedia'), {
      number: friend,
      mediatype: 'image',
      mimetype: 'image/jpeg',
      fileName: 'image.jpg',
      caption: 'Look',
      media,
    })
    expect(sent).toMatchObject({
      status: 201,
      body: {
        messageType: 'imageMessage',
        message: { imageMessage: { caption: 'Look', mimetype: 'image/png' } },
      },
    })
    const got = await own.post(nameIn('/chat/getBase64FromMediaMessage'), {
      message: { key: { id: sent.body.key.id } },
      convertToMp4: false,
    })
    expect([got.status, got.body]).toEqual([
      201,
      {
        mediaType: 'imageMessage',
        fileName: `${sent.body.key.id}.png`,
        caption: 'Look',
        // Its measures are there if the host had the time to look at it.
        size: expect.objectContaining({ fileLength: Buffer.from(PIXEL, 'base64').length }),
        mimetype: 'image/png',
        buffer: null,
        base64: PIXEL,
      },
    ])
  }
  const missing = await own.post(nameIn('/chat/getBase64FromMediaMessage'), {
    message: { key: { id: 'X' } },
  })
  expect([missing.status, missing.body.response.message]).toEqual([400, ['Message not found']])
})

test('the same event has the same bytes at each attempt', async () => {
  failing.add('/hook')
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'again' })
  await waitAt('/hook', ({ data }) => data.message?.conversation === 'again')
  failing.delete('/hook')
  const tries = await until(() => {
    const found = posted.filter(({ body }) => body.data.message?.conversation === 'again')
    return found.length > 1 && found
  })
  expect(new Set(tries.map(({ raw }) => raw)).size).toBe(1)
  expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('a webhook is set in each spelling, chooses its events, and has a path for each of them', async () => {
  const url = `http://${place}/by`
  const shapes = [
    { webhook: { enabled: true, url, events: ['SEND_MESSAGE'], byEvents: true, base64: false } },
    { url, events: ['SEND_MESSAGE'], webhook_by_events: true, webhook_base64: false },
    { enabled: true, url, webhookByEvents: true, webhookBase64: false, events: ['SEND_MESSAGE'] },
  ]
  for (const shape of shapes) {
    const set = await own.post(nameIn('/webhook/set'), shape)
    expect([set.status, set.body]).toEqual([
      201,
      {
        id: expect.any(String),
        url,
        enabled: true,
        events: ['SEND_MESSAGE'],
        headers: null,
        webhookByEvents: true,
        webhookBase64: false,
      },
    ])
  }
  const { key } = (await own.post(nameIn('/message/sendText'), { number: friend, text: 'chosen' })).body
  await waitAt('/by/send-message', isMessage('send.message', key.id))
  await world.sim('POST', '/messages', { from: friend, to: account, text: 'not chosen' })
  const other = (await own.post(nameIn('/message/sendText'), { number: friend, text: 'later' })).body.key
  await waitAt('/by/send-message', isMessage('send.message', other.id))
  expect(
    posted.filter(({ path }) => path.startsWith('/by')).every(({ path }) => path === '/by/send-message'),
  ).toBe(true)
  const off = await own.post(nameIn('/webhook/set'), { webhook: { enabled: false, url: 'vazio' } })
  expect(off).toMatchObject({ status: 201, body: { enabled: false } })
  const none = await own.get(nameIn('/webhook/find'))
  expect([none.status, none.text]).toEqual([200, 'null'])
})
