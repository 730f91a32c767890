// What holds for the delivery to a webhook, whichever of its instance it is: each case is run at every position.

import { expect } from 'vitest'
import type { ApiResponse } from '../caller.ts'
import { SECRET } from '../device.ts'
import { type Delivery, type Receiver, verifyDelivery } from '../receiver.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { type Correspondent, readText } from './gateway.ts'

/** A webhook at one position of an instance of its own. */
export interface Subject {
  device: Correspondent
  id: string
  receiver: Receiver
  /** Gets everything while the webhook does what it does. */
  neighbour: Receiver
  isInherited: boolean
  change(body: object): Promise<ApiResponse>
  openReceiver(): Promise<Receiver>
}

const listAt = (receiver: Receiver, { device }: Subject): Delivery[] =>
  receiver.deliveries.filter(
    ({ envelope }) => envelope.instanceId === device.id && envelope.EventType === 'messages',
  )
const listTexts = (subject: Subject, about: string, receiver = subject.receiver): string[] =>
  listAt(receiver, subject)
    .map(readText)
    .filter((text) => text.startsWith(about))
const untilTexts = (subject: Subject, about: string, texts: string[], receiver = subject.receiver) =>
  until(() => {
    expect(listTexts(subject, about, receiver)).toEqual(texts)
    return true
  })
const findDelivery = (subject: Subject, text: string): Promise<Delivery> =>
  until(() => listAt(subject.receiver, subject).find((delivery) => readText(delivery) === text))

const readHealth = async ({ device, id }: Subject): Promise<Seen> =>
  (await device.caller.get(`/v1/webhooks/${id}`)).body.webhook.deliveryStatus
/** What became of the event at the webhook. */
async function readOutcome(subject: Subject, eventId: string): Promise<Seen> {
  const { event } = (await subject.device.caller.get(`/v1/events/${eventId}`)).body
  const found = event.deliveries.find(({ webhookId }: Seen) => webhookId === subject.id)
  const isFirst = (await subject.device.caller.get('/webhook')).body.id === subject.id
  // Of the first, the event says the same of itself.
  if (isFirst && found)
    expect(event).toMatchObject({
      status: found.status,
      attempts: found.attempts,
      ...(found.lastError && { lastError: found.lastError }),
      ...(found.deliveredAt && { deliveredAt: found.deliveredAt }),
    })
  return found
}
const untilOutcome = (subject: Subject, eventId: string, expected: object) =>
  until(async () => {
    expect(await readOutcome(subject, eventId)).toMatchObject(expected)
    return true
  })
const untilHealth = (subject: Subject, expected: object): Promise<Seen> =>
  until(async () => {
    const health = await readHealth(subject)
    expect(health).toMatchObject(expected)
    return health
  })
const replay = async ({ device, id }: Subject, selection: object): Promise<Seen> =>
  (await device.caller.post('/v1/events/replay', { webhookId: id, ...selection })).body
/** The stored event, though the webhook has not got it. */
const findStored = (subject: Subject, text: string): Promise<Seen> =>
  until(async () =>
    (await subject.device.caller.get('/v1/events?type=messages&limit=200')).body.events.find(
      ({ payload }: Seen) => payload.message.text === text,
    ),
  )

type Case = [title: string, run: (subject: Subject) => Promise<void>, onlyOwn?: boolean]

export const cases: Case[] = [
  [
    'events come in order, one at a time and once, with the id of the event, and the neighbour does not wait',
    async (subject) => {
      const { device, receiver, neighbour } = subject
      const hang = Promise.withResolvers<void>()
      receiver.holdNext(hang.promise)
      for (const text of ['order 1', 'order 2', 'order 3']) await device.receiveText(text)
      await untilTexts(subject, 'order', ['order 1', 'order 2', 'order 3'], neighbour)
      expect(listTexts(subject, 'order')).toEqual(['order 1'])
      hang.resolve()
      await untilTexts(subject, 'order', ['order 1', 'order 2', 'order 3'])
      const delivery = await findDelivery(subject, 'order 2')
      expect(delivery.headers['webhook-id']).toBe(delivery.envelope.eventId)
      verifyDelivery(delivery, SECRET)
      await untilOutcome(subject, delivery.envelope.eventId, {
        status: 'delivered',
        attempts: 1,
        lastStatus: 204,
      })
      await untilHealth(subject, { pending: 0, dead: 0, cause: '', failingSince: null })
    },
  ],
  [
    'a burst that is longer than what is in memory comes whole, in order and once',
    async (subject) => {
      const { device, receiver } = subject
      receiver.delayMs = 5
      const before = listAt(receiver, subject).length
      await device.receiveText('burst', 100)
      await until(() => listAt(receiver, subject).length === before + 100, { within: 30_000 })
      receiver.delayMs = 0
      await device.receiveText('after the burst')
      await findDelivery(subject, 'after the burst')
      const seqs = listAt(receiver, subject)
        .slice(before)
        .map(({ envelope }) => envelope.seq)
      expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other))
      expect(seqs).toHaveLength(101)
    },
  ],
  [
    'one that failed is tried again before those behind it, with the same id and bytes',
    async (subject) => {
      const { device, receiver } = subject
      receiver.status = 500
      receiver.words = 'no room'
      await device.receiveText('retried 1')
      const first = await findDelivery(subject, 'retried 1')
      await device.receiveText('retried 2')
      const { eventId } = first.envelope
      await untilOutcome(subject, eventId, { status: 'pending', attempts: 1, lastError: 'status_500' })
      await untilHealth(subject, { pending: 2, cause: 'status_500', lastFailure: { eventId, status: 500 } })
      const { errors } = (await device.caller.get(`/v1/webhooks/${subject.id}/errors`)).body
      expect(errors[0]).toMatchObject({ eventId, status: 'pending', attempts: 1, lastResponse: 'no room' })
      receiver.status = 204
      receiver.words = ''
      await untilTexts(subject, 'retried', ['retried 1', 'retried 1', 'retried 2'])
      const [one, again] = listAt(receiver, subject).filter((delivery) => readText(delivery) === 'retried 1')
      expect(again?.at).toBeGreaterThan((one?.at ?? 0) + 3900)
      expect(again?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
      expect(again?.body).toBe(one?.body)
      await untilOutcome(subject, eventId, { status: 'delivered', attempts: 2 })
      await untilHealth(subject, { pending: 0, cause: '', failingSince: null })
    },
  ],
  [
    'a Retry-After delays the next attempt, and with it those behind it',
    async (subject) => {
      const { device, receiver } = subject
      receiver.status = 503
      receiver.answerHeaders = { 'retry-after': '600' }
      await device.receiveText('later 1')
      const { envelope } = await findDelivery(subject, 'later 1')
      await device.receiveText('later 2')
      await untilOutcome(subject, envelope.eventId, { attempts: 1, lastError: 'status_503' })
      const { nextAttemptAt } = await readOutcome(subject, envelope.eventId)
      expect(Date.parse(nextAttemptAt)).toBeGreaterThan(Date.now() + 590_000)
      const { pausedUntil } = await untilHealth(subject, { pending: 2 })
      expect(pausedUntil).toBe(nextAttemptAt)
      receiver.status = 204
      receiver.answerHeaders = {}
      expect(await replay(subject, { ids: [envelope.eventId] })).toEqual({ matched: 1, queued: 1 })
      await untilTexts(subject, 'later', ['later 1', 'later 1', 'later 2'])
    },
  ],
  [
    'a redirect is a failure and is not followed',
    async (subject) => {
      const { device, receiver, neighbour } = subject
      receiver.status = 307
      receiver.answerHeaders = { location: `${neighbour.url}?redirected` }
      await device.receiveText('elsewhere')
      const { envelope } = await findDelivery(subject, 'elsewhere')
      await untilOutcome(subject, envelope.eventId, { lastError: 'redirect', lastStatus: 307 })
      receiver.status = 204
      receiver.answerHeaders = {}
      await replay(subject, { ids: [envelope.eventId] })
      await untilOutcome(subject, envelope.eventId, { status: 'delivered' })
      expect(listTexts(subject, 'elsewhere', neighbour)).toEqual(['elsewhere'])
    },
  ],
  [
    'a 410 makes its event dead and stops delivery until the webhook is saved again; a replay brings the dead one',
    async (subject) => {
      const { device, receiver } = subject
      receiver.status = 410
      await device.receiveText('gone 1')
      const { envelope } = await findDelivery(subject, 'gone 1')
      await untilOutcome(subject, envelope.eventId, { status: 'dead', lastError: 'status_410' })
      receiver.status = 204
      await device.receiveText('gone 2')
      await untilHealth(subject, { paused: 'gone', cause: 'status_410', pending: 1, dead: 1 })
      expect(listTexts(subject, 'gone')).toEqual(['gone 1'])
      await subject.change({ url: receiver.url, enabled: true })
      await untilTexts(subject, 'gone', ['gone 1', 'gone 2'])
      await untilHealth(subject, { paused: '', cause: '', pending: 0, dead: 1 })
      expect(await replay(subject, { status: 'dead' })).toEqual({ matched: 1, queued: 1 })
      await untilOutcome(subject, envelope.eventId, { status: 'delivered' })
      expect((await readHealth(subject)).dead).toBe(0)
    },
  ],
  [
    'a paused one gets everything when it goes on, in order and once',
    async (subject) => {
      const { device } = subject
      await subject.change({ enabled: false })
      for (const text of ['paused 1', 'paused 2']) await device.receiveText(text)
      const { id } = await findStored(subject, 'paused 2')
      await untilOutcome(subject, id, { status: 'pending', attempts: 0 })
      await untilHealth(subject, { pending: 2, paused: 'disabled' })
      expect(listTexts(subject, 'paused')).toEqual([])
      await subject.change({ enabled: true })
      await untilTexts(subject, 'paused', ['paused 1', 'paused 2'])
      await untilHealth(subject, { pending: 0, paused: '' })
    },
  ],
  [
    'for a day after a change of the secret both sign, and without a secret nothing does',
    async (subject) => {
      const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
      await subject.change({ secret: other })
      await subject.device.receiveText('signed by both')
      const delivery = await findDelivery(subject, 'signed by both')
      for (const secret of [SECRET, other]) verifyDelivery(delivery, secret)
      expect(() => verifyDelivery(delivery, `whsec_${Buffer.alloc(32, 1).toString('base64')}`)).toThrow()
      await subject.change({ secret: '' })
      await subject.device.receiveText('not signed')
      expect((await findDelivery(subject, 'not signed')).headers['webhook-signature']).toBeUndefined()
      await subject.change({ secret: SECRET })
    },
  ],
  [
    'events and filters choose what it gets, of what waits too, and never what was left out before',
    async (subject) => {
      const { device, neighbour } = subject
      await subject.change({ events: ['groups'] })
      await device.receiveText('chosen: of another kind')
      await untilTexts(subject, 'chosen', ['chosen: of another kind'], neighbour)
      await subject.change({ events: ['messages'], enabled: false })
      await device.receiveText('chosen: waits in vain')
      await untilHealth(subject, { pending: 1 })
      await subject.change({ excludeMessages: ['fromMeNo'] })
      await untilHealth(subject, { pending: 0 })
      await subject.change({ excludeMessages: [], enabled: true })
      await device.receiveText('chosen: wanted')
      await untilTexts(subject, 'chosen', ['chosen: wanted'])
    },
  ],
  [
    'chats choose what it gets',
    async (subject) => {
      const { device, neighbour } = subject
      expect((await subject.change({ chats: ['groups'] })).body.webhook.chats).toEqual(['groups'])
      await device.receiveText('chat: of a person')
      await untilTexts(subject, 'chat', ['chat: of a person'], neighbour)
      await subject.change({ chats: ['people'] })
      await device.receiveText('chat: wanted')
      await untilTexts(subject, 'chat', ['chat: wanted'])
      await subject.change({ chats: [] })
    },
    true,
  ],
  [
    'its headers come with each request and with a test, and their values are shown nowhere',
    async (subject) => {
      const { device, receiver, id } = subject
      const shown = (await subject.change({ headers: { Authorization: 'Bearer seven' } })).text
      expect(shown).toContain('Authorization')
      expect(shown).not.toContain('seven')
      await device.receiveText('with headers')
      expect((await findDelivery(subject, 'with headers')).headers.authorization).toBe('Bearer seven')
      expect((await device.caller.post(`/v1/webhooks/${id}/test`)).body).toMatchObject({ delivered: true })
      const tested = await until(() =>
        receiver.deliveries.find(({ envelope }) => envelope.EventType === 'test'),
      )
      expect(tested.headers.authorization).toBe('Bearer seven')
      await subject.change({ headers: {} })
    },
    true,
  ],
  [
    'a replay sends what was delivered again, in order, with the same bytes, and nothing that it does not want',
    async (subject) => {
      const { device } = subject
      for (const text of ['again 1', 'again 2', 'again 3']) await device.receiveText(text)
      const [first, last] = [await findDelivery(subject, 'again 1'), await findDelivery(subject, 'again 3')]
      await untilHealth(subject, { pending: 0 })
      const range = { fromSeq: first.envelope.seq, toSeq: last.envelope.seq, status: 'delivered' }
      const { matched } = await replay(subject, { ...range, dryRun: true })
      expect(matched).toBeGreaterThanOrEqual(3)
      expect((await replay(subject, range)).queued).toBe(3)
      const texts = ['again 1', 'again 2', 'again 3']
      await untilTexts(subject, 'again', [...texts, ...texts])
      const both = listAt(subject.receiver, subject).filter((delivery) => readText(delivery) === 'again 1')
      expect(new Set(both.map(({ body }) => body)).size).toBe(1)
      await subject.change({ events: ['groups'] })
      expect((await replay(subject, range)).queued).toBe(0)
      await subject.change({ events: ['messages'] })
    },
  ],
  [
    'what waited for another URL is dead, does not count for the new one, and a replay brings it there',
    async (subject) => {
      const { device } = subject
      await subject.change({ enabled: false })
      for (const text of ['moved 1', 'moved 2']) await device.receiveText(text)
      const { id } = await findStored(subject, 'moved 2')
      await untilHealth(subject, { pending: 2 })
      const next = await subject.openReceiver()
      await subject.change({ url: next.url, enabled: true, secret: SECRET })
      await untilHealth(subject, { pending: 0, dead: 0, lastFailure: null })
      await untilOutcome(subject, id, { status: 'dead', lastError: 'destination_changed' })
      await device.receiveText('moved: for the next')
      await untilTexts(subject, 'moved', ['moved: for the next'], next)
      expect((await replay(subject, { status: 'dead' })).queued).toBe(2)
      await untilTexts(subject, 'moved', ['moved: for the next', 'moved 1', 'moved 2'], next)
      expect(listTexts(subject, 'moved')).toEqual([])
      await subject.change({ url: subject.receiver.url, secret: SECRET })
      await device.receiveText('moved back')
      await findDelivery(subject, 'moved back')
    },
  ],
  [
    'a request on its way ends at the URL that it began with, and nothing follows it there',
    async (subject) => {
      const { device, receiver } = subject
      const hang = Promise.withResolvers<void>()
      receiver.holdNext(hang.promise)
      await device.receiveText('under way 1')
      await findDelivery(subject, 'under way 1')
      await device.receiveText('under way 2')
      await findStored(subject, 'under way 2')
      const next = await subject.openReceiver()
      await subject.change({ url: next.url })
      hang.resolve()
      await device.receiveText('under way 3')
      await untilTexts(subject, 'under way', ['under way 3'], next)
      expect(listTexts(subject, 'under way')).toEqual(['under way 1'])
      await untilHealth(subject, { pending: 0, dead: 0 })
    },
    // A courier is not told of a change of the global webhook: it uses what it has read for a quarter of a second.
    true,
  ],
]
