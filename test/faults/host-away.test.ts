// kill -9 of the session host while something is still open: what it had promised to find out, it finds out afterwards.
// @module-tag slow

import { expect, test } from 'vitest'
import { createNumber, createPhone, waitUntilConnected } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const { world, receiver, device, waitForEvent, readInbox, causeFault, endFaults } = await startScene({
  ACTION_TIMEOUT_MS: '4000',
})

/** Killed, started again, and logged in again. */
async function killHost() {
  const countLogins = async () => {
    const { entries } = await world.sim('GET', `/log?number=${device.number}`)
    return (entries as Seen[]).filter(({ what }) => what === 'login').length
  }
  const before = await countLogins()
  process.kill(world.findPid('session host'), 'SIGKILL')
  return async () => {
    await until(async () => (await countLogins()) > before)
    await waitUntilConnected(device)
  }
}

const listEventsAbout = (id: unknown) =>
  receiver.deliveries.filter(({ body }) => body.includes(`"${id}"`)).map(({ envelope }) => envelope.EventType)

/** Resolves when all earlier events have arrived: a receipt is the marker, because a fault may garble every message to the device. */
async function waitForEverything() {
  const friend = await createPhone(world)
  const { body } = await device.caller.post('/send/text', { number: friend, text: 'afterwards' })
  await waitForEvent('messages_update', ({ event }) => event.MessageIDs.includes(body.messageid))
  await until(async () => (await device.caller.get('/v1/events?status=pending')).body.events.length === 0)
}

test.each(['while the host is away', 'once the host is back'])(
  'a send that was 504 before its host was killed is resolved by a receipt that comes %s',
  async (moment) => {
    const friend = createNumber()
    await world.sim('POST', '/phones', { number: friend, autoReceipt: false })
    const words = { number: friend, text: `sent, and confirmed ${moment}` }
    const key = { 'idempotency-key': moment.replaceAll(' ', '-') }
    await causeFault('lost_ack', { count: 1 })
    const unknown = await device.caller.post('/send/text', words, key)
    expect(unknown).toMatchObject({ status: 504, body: { error: 'outcome_unknown' } })

    const back = await killHost()
    const confirmReceipt = () =>
      world.sim('POST', `/messages/${unknown.body.messageid}/receipt`, { by: friend, type: 'delivered' })
    if (moment === 'while the host is away') await confirmReceipt()
    await back()
    if (moment === 'once the host is back') await confirmReceipt()

    const response = await until(async () => {
      const again = await device.caller.post('/send/text', words, key)
      return again.status === 200 && again
    })
    expect(response.body).toMatchObject({ messageid: unknown.body.messageid, status: 'Delivered' })
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(await readInbox(friend)).toHaveLength(1)
  },
)

test.each(['is repaired by its sender', 'is never repaired'])(
  'a message that could not be decrypted before the host was killed, and that %s, is one event',
  async (ending) => {
    const friend = await createPhone(world)
    await causeFault('garble')
    const { id } = await world.sim('POST', '/messages', {
      from: friend,
      to: device.number,
      text: 'hard to read',
    })
    await until(async () => {
      const { entries } = await world.sim('GET', `/log?number=${device.number}`)
      return (entries as Seen[]).some((entry) => entry.what === 'retry' && entry.id === id)
    })
    const back = await killHost()
    if (ending === 'is repaired by its sender') await endFaults()
    await back()
    await until(() => listEventsAbout(id).length > 0)
    await waitForEverything()
    await endFaults()
    expect(listEventsAbout(id)).toEqual([
      ending === 'is never repaired' ? 'undecryptable' : listEventsAbout(id)[0],
    ])
  },
)
