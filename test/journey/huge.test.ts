// A stranger's message of 10 MB: its record is stored truncated and marked, and no other instance of the host waits for it.
// @module-tag slow

import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, subscribeReceiver } from '../device.ts'
import { borrowScene } from '../scene.ts'
import { until } from '../until.ts'

const KIB = 1024
const PICTURE = Buffer.from('a picture').toString('base64')

const { world, receiver, device, waitForEvent } = await borrowScene()

test('a caption of 10 MB of control characters is stored truncated, and the other instances receive everything', async () => {
  const [stranger, friend] = [await createPhone(world, 'Stranger'), await createPhone(world, 'Friend')]
  const fresh = await createDevice(world, 'Neighbour')
  await subscribeReceiver(fresh, receiver)
  const neighbour = await linkDevice(world, fresh)

  const caption = '\u0001'.repeat(10_000_000)
  const wish = { from: stranger, to: device.number, image: PICTURE }
  const sent = world.sim('POST', '/messages', { ...wish, caption: '\u0001', captionRepeat: 10_000_000 })
  for (let n = 0; n < 30; n++)
    await world.sim('POST', '/messages', { from: friend, to: neighbour.number, text: `beside ${n}` })
  const { id } = await sent
  await world.sim('POST', '/messages', { from: friend, to: device.number, text: 'behind it' })

  const huge = await waitForEvent('messages', ({ message }) => message.messageid === id)
  expect(huge).toMatchObject({
    truncated: true,
    message: { truncated: true, type: 'media', mediaType: 'image' },
  })
  expect(Buffer.byteLength(huge.message.text)).toBeLessThanOrEqual(256 * KIB)
  expect(huge.message.text.startsWith(caption.slice(0, 80_000))).toBe(true)

  const small = await waitForEvent('messages', ({ message }) => message.text === 'behind it')
  expect(small.message.truncated).toBe(false)
  expect(small).not.toHaveProperty('truncated')
  for (let n = 0; n < 30; n++)
    await waitForEvent(
      'messages',
      ({ instanceId, message }) => instanceId === neighbour.id && message.text === `beside ${n}`,
    )

  const { messages } = (await device.caller.post('/message/find', { id })).body
  expect(messages).toEqual([huge.message])
  // Without payloads, as a page ends at 256 KiB and this event alone fills one.
  const { events } = (await device.caller.get('/v1/events?payload=false&limit=200')).body
  expect(events.find((event: { id: string }) => event.id === huge.eventId)).toMatchObject({
    status: 'delivered',
  })
})

test('sixty large texts in a row are all delivered, and can be read page by page', async () => {
  const stranger = await createPhone(world, 'Stranger')
  const caption = '"'.repeat(300_000)
  const ids: unknown[] = []
  for (let n = 0; n < 60; n++) {
    const message = { from: stranger, to: device.number, image: PICTURE, caption }
    ids.push((await world.sim('POST', '/messages', message)).id)
  }
  const listDelivered = () =>
    new Set(
      receiver.deliveries.map(({ envelope }) => (envelope.message as { messageid?: string })?.messageid),
    )
  await until(() => ids.every((id) => listDelivered().has(id as string)), { within: 40_000 })
  expect((await device.caller.get('/v1/events?limit=200')).body.events.length).toBeGreaterThan(0)
  const found = (await device.caller.post('/message/find', { chatid: stranger, limit: 100 })).body
  expect(found.messages.length).toBeGreaterThan(0)
  expect(found.hasMore).toBe(true)
})
