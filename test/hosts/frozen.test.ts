// A host with a store of its own that stands still for longer than its lease: no other host can help, and when it
// goes on it says nothing to the network before the edge has granted it another lease.
// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, linkUnguarded, subscribeReceiver, waitUntilConnected } from '../device.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { findHostRecord } from './hosts.ts'

let world: World
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, LEASE_MS: '3000' })
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

test('while the host is frozen connect is 502 msgnet_unreachable; then it logs in again and receives what was sent to it', async () => {
  const device = await linkUnguarded(world, await createDevice(world), 45_000)
  await subscribeReceiver(device, receiver, ['messages'])
  const friend = await createPhone(world)
  const [host] = (await world.admin.get('/v1/hosts')).body.hosts
  const pid = world.findPid('session host')

  process.kill(pid, 'SIGSTOP')
  // What the host wrote before has arrived by the time the network answers.
  await world.sim('GET', `/log?number=${device.number}`)
  const frozen = Date.now()
  const text = `are you there? ${frozen}`
  try {
    await world.sim('POST', '/messages', { from: friend, to: device.number, text })
    await until(async () => !(await findHostRecord(world, host.id)).live)
    const response = await device.caller.post('/instance/connect')
    expect([response.status, response.body.error]).toEqual([502, 'msgnet_unreachable'])
    expect((await device.caller.get('/instance/status')).body.instance.status).toBe('connecting')
  } finally {
    process.kill(pid, 'SIGCONT')
  }

  await waitUntilConnected(device)
  const listDelivered = () =>
    receiver.deliveries.filter(({ envelope }) => (envelope.message as { text: string }).text === text)
  await until(() => listDelivered().length > 0)
  const { entries } = await world.sim('GET', `/log?number=${device.number}&after=${frozen}`)
  const seen = (entries as { what: string }[]).map(({ what }) => what)
  expect(seen.slice(0, 2)).toEqual(['closed', 'login'])
  expect(seen).toContain('receipt')
  expect(seen).not.toContain('retry')
  expect(listDelivered()).toHaveLength(1)
  expect(world.run.parts['session host']).toBe(pid)
})
