// The page with the webhooks of one instance, behind a link: what it shows, what it does, and what it never opens.

import { expect, test } from 'vitest'
import { type ApiResponse, createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, linkDevice, subscribeReceiver } from '../device.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver } = await borrowStage()

const pickError = ({ status, body }: ApiResponse) => [status, body?.error]
const createLink = async (id: string, wish: object = { purpose: 'webhooks' }) =>
  (await world.admin.post(`/v1/instances/${id}/links`, wish)).body
/** As the page asks. */
const askAs = (secret: string) => createPlainCaller(world.run.baseUrl, { authorization: `Bearer ${secret}` })
const openPortal = async (id: string) => askAs(new URL((await createLink(id)).url).hash.slice(1))

test('a link to the webhooks has a page of its own, goes on when a device is linked, and opens no page of a device', async () => {
  const fresh = await createDevice(world, 'Shop')
  const link = await createLink(fresh.id, { purpose: 'webhooks', language: 'es' })
  expect(link).toMatchObject({ purpose: 'webhooks', language: 'es' })
  expect(link.url).toMatch(/^http:\/\/[^/]+\/portal\?language=es#mgp_[\w-]{43}$/)
  const forDevice = await createLink(fresh.id, {})
  expect(forDevice).toMatchObject({ purpose: 'device' })
  const [portal, device] = [link, forDevice].map(({ url }) => askAs(new URL(url).hash.slice(1)))
  expect(pickError((await portal?.post('/link/state')) as ApiResponse)).toEqual([401, 'unauthorized'])
  expect(pickError((await device?.post('/portal/state')) as ApiResponse)).toEqual([401, 'unauthorized'])
  await linkDevice(world, fresh)
  expect((await portal?.post('/portal/state'))?.body).toMatchObject({ name: 'Shop', webhooks: [] })
  expect((await device?.post('/link/state'))?.body).toMatchObject({ isUsed: true })
  // One for a device is refused now, one for the webhooks is not.
  const again = await world.admin.post(`/v1/instances/${fresh.id}/links`, { purpose: 'webhooks' })
  expect(again.status).toBe(200)
  const { links } = (await world.admin.get(`/v1/instances/${fresh.id}/links`)).body
  expect(links.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['webhooks', 'webhooks'])
})

test('its page is told of the webhooks, their health and what failed, and of no message, token, secret or query', async () => {
  const device = await linkDevice(world, await createDevice(world, 'Shop'))
  const saved = await device.caller.post('/webhook', {
    events: 'all',
    url: `${receiver.url}?key=of-the-tenant`,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: { 'x-credential': 'of-the-receiver' },
  })
  expect(saved.status, saved.text).toBe(200)
  const portal = await openPortal(device.id)
  const from = await createPhone(world)
  receiver.status = 500
  const words = `nobody else's ${crypto.randomUUID()}`
  await world.sim('POST', '/messages', { from, to: device.number, text: words })
  const { body } = await until(async () => {
    const state = await portal.post('/portal/state')
    return state.body.webhooks[0].deliveryStatus.failingSince !== null && state
  })
  receiver.status = 200
  const [webhook] = body.webhooks
  expect(Object.keys(body).sort()).toEqual(['expiresAt', 'name', 'webhooks'])
  expect(webhook).toMatchObject({
    first: true,
    url: receiver.url,
    enabled: true,
    format: 'contract',
    inherited: false,
    deliveryStatus: { cause: 'status_500', dead: 0 },
  })
  const failures = await portal.post('/portal/failures', { webhookId: webhook.id })
  expect(failures.body.errors[0]).toMatchObject({ status: 'pending', lastStatus: 500 })
  const seen = JSON.stringify([body, failures.body])
  for (const hidden of [words, device.token, 'of-the-tenant', 'of-the-receiver', 'whsec_'])
    expect(seen).not.toContain(hidden)
})

test('it tests a webhook, and delivers again what is dead there, or the events that it names', async () => {
  const device = await linkDevice(world, await createDevice(world, 'Shop'))
  await subscribeReceiver(device, receiver)
  const portal = await openPortal(device.id)
  const [webhook] = (await portal.post('/portal/state')).body.webhooks
  const webhookId: string = webhook.id
  expect((await portal.post('/portal/test', { webhookId })).body).toMatchObject({
    delivered: true,
    status: 200,
  })
  const from = await createPhone(world)
  const matchText = (text: string) => (envelope: { EventType: string; [field: string]: unknown }) =>
    envelope.EventType === 'messages' && JSON.stringify(envelope).includes(text)
  const sendText = (text: string) => world.sim('POST', '/messages', { from, to: device.number, text })
  const countDeliveries = (id: string) =>
    receiver.deliveries.filter(({ envelope }) => envelope.eventId === id).length

  await sendText('delivered once')
  const { envelope } = await receiver.waitForDelivery(matchText('delivered once'))
  const named = await portal.post('/portal/replay', { webhookId, ids: [envelope.eventId] })
  expect(named.body).toEqual({ matched: 1, queued: 1 })
  await until(() => countDeliveries(envelope.eventId) === 2)

  receiver.status = 410
  await sendText('nobody wants it')
  await until(
    async () => (await portal.post('/portal/state')).body.webhooks[0].deliveryStatus.paused === 'gone',
  )
  receiver.status = 200
  await subscribeReceiver(device, receiver)
  const [saved] = (await portal.post('/portal/state')).body.webhooks
  const dead = await portal.post('/portal/replay', { webhookId: saved.id })
  expect(dead.body).toEqual({ matched: 1, queued: 1 })
  await until(
    () => receiver.deliveries.filter(({ envelope }) => matchText('nobody wants it')(envelope)).length === 2,
  )
  const { entries } = (await world.admin.get(`/v1/audit?target=${device.id}`)).body
  expect(entries[0]).toMatchObject({ action: 'events.replay', actor: 'link', outcome: 'done' })
})

test('it reaches no webhook of another instance, changes nothing, and ends with its time, its deletion and its instance', async () => {
  const [device, other] = [await createDevice(world), await createDevice(world)]
  await subscribeReceiver(device, receiver)
  await subscribeReceiver(other, receiver)
  const link = await createLink(device.id)
  const secret = new URL(link.url).hash.slice(1)
  const portal = askAs(secret)
  const [foreign] = (await (await openPortal(other.id)).post('/portal/state')).body.webhooks
  for (const path of ['failures', 'test', 'replay']) {
    const refused = await portal.post(`/portal/${path}`, { webhookId: foreign.id })
    expect(pickError(refused)).toEqual([404, 'not_found'])
    expect(pickError(await portal.post(`/portal/${path}`, { webhookId: 'x' }))).toEqual([400, 'invalid_body'])
    expect(pickError(await portal.post(`/portal/${path}`, {}))).toEqual([400, 'invalid_body'])
  }
  // Neither as a token of the instance, nor as one of an operator.
  for (const headers of [{ token: secret }, { admintoken: secret }]) {
    const caller = createPlainCaller(world.run.baseUrl, headers)
    for (const path of ['/instance/status', '/webhook', '/v1/webhooks', '/v1/events', '/instance/all'])
      expect((await caller.get(path)).status).toBe(401)
  }
  const deleted = await world.admin.delete(`/v1/instances/${device.id}/links/${link.id}`)
  expect(deleted.status).toBe(200)
  expect(pickError(await portal.post('/portal/state'))).toEqual([401, 'unauthorized'])
  const last = await openPortal(device.id)
  await device.caller.delete('/instance')
  expect(pickError(await last.post('/portal/state'))).toEqual([401, 'unauthorized'])
  expect(pickError(await askAs('').post('/portal/state'))).toEqual([401, 'unauthorized'])
})
