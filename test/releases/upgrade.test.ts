// This version on the data folder of each release: nothing that a caller had is gone, and no device is linked anew.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subscribeReceiver, waitUntilConnected } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { listReleases, openFolder, type ReleaseFacts } from './release-folder.ts'

/** The folder is older than what is kept for days by itself. */
const keepAll = { KEEP_EVENTS_DAYS: '3650', KEEP_MESSAGES_DAYS: '3650', KEEP_AUDIT_DAYS: '36500' }

describe.each(listReleases())('the folder of %s', (version) => {
  let world: World
  let receiver: Receiver
  let facts: ReleaseFacts
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  const getDevice = () => ({ id: '', token: facts.token, caller: world.callAs(facts.token) })

  beforeAll(async () => {
    facts = openFolder(version, folder)
    receiver = await startReceiver()
    const env = { ...keepAll, WEBHOOK_ALLOWLIST: receiver.place }
    world = await startWorld(env, undefined, undefined, join(folder, 'data'))
  }, 120_000)

  afterAll(async () => {
    await world?.close()
    await receiver?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('has its device connected without a code, and texts go both ways', async () => {
    const { account, friend } = facts
    const device = getDevice()
    await waitUntilConnected(device)
    const sent = await device.caller.post('/send/text', { number: friend, text: 'After the upgrade' })
    expect(sent.status).toBe(200)
    await world.sim('POST', '/messages', { from: friend, to: account, text: 'So I see' })
    const texts = await until(async () => {
      const { messages } = (await device.caller.post('/message/find', {})).body
      const found = messages.filter(({ isGroup }: Seen) => !isGroup).map(({ text }: Seen) => text)
      return found.length === 4 && found
    })
    // The network says the second of a message: which of two in one second is the newer is not known.
    expect(new Set(texts.slice(0, 2))).toEqual(new Set(['So I see', 'After the upgrade']))
    expect(texts.slice(2)).toEqual(['Yes, seven of them', 'Do you have brass lamps?'])
    const { messages } = await world.sim('GET', `/phones/${friend}/inbox`)
    expect((messages as Seen[]).map(({ text }) => text)).toContain('After the upgrade')
  })

  test('has the words of its messages found by a search, and its group with its name', async () => {
    const { caller } = getDevice()
    const { body } = await caller.post('/message/find', { search: 'LAMPS' })
    expect(body.messages.map(({ text }: Seen) => text)).toEqual(['Do you have brass lamps?'])
    const group = await caller.post('/group/info', { groupjid: facts.group })
    expect(group.body).toMatchObject({ JID: facts.group, Name: 'Regulars' })
  })

  test('has its webhook with its secret, and its events of before', async () => {
    const { caller } = getDevice()
    const { body } = await caller.get('/webhook')
    expect(body).toMatchObject({ url: 'http://127.0.0.1:8788/hook', hasSecret: true, enabled: true })
    const { events } = (await caller.get('/v1/events?type=messages&limit=100')).body
    expect(events.map(({ payload }: Seen) => payload.message.text)).toContain('Do you have brass lamps?')
    await subscribeReceiver(getDevice(), receiver, ['messages'])
    await world.sim('POST', '/messages', { from: facts.friend, to: facts.account, text: 'And now?' })
    await receiver.waitForDelivery(({ message }) => (message as Seen)?.text === 'And now?')
  })

  test('has its instances and its admin tokens', async () => {
    const { body } = await world.admin.get('/instance/all')
    expect(body.map(({ name }: Seen) => name).sort()).toEqual(['Never linked', 'Old shop'])
    const response = await fetch(`${world.run.baseUrl}/instance/all`, {
      headers: { admintoken: facts.adminToken },
    })
    expect(response.status).toBe(200)
  })
})

test('every release has left a folder', () => {
  expect(listReleases()).toContain('0.1.0')
})
