// How pages of the log of deliveries are joined, and which sentence says how delivery stands.

import { describeDelivery } from '@msgnet/console/deliveries/delivery-health.ts'
import {
  findOutcome,
  findWorstOutcome,
  parseFilter,
  toEventFilter,
  viewAt,
} from '@msgnet/console/deliveries/event-filter.ts'
import { findPageToReload, mergeNewest, replaceRange } from '@msgnet/console/deliveries/event-pages.ts'
import { webhookKinds } from '@msgnet/console/overview/webhook-kinds.ts'
import { english } from '@msgnet/console/texts/english.ts'
import { portuguese } from '@msgnet/console/texts/portuguese.ts'
import { spanish } from '@msgnet/console/texts/spanish.ts'
import type { EventList, EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'
import type { DeliveryStatus } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { describe, expect, test } from 'vitest'

const NOW = Date.UTC(2026, 10, 23, 14, 2)
const toTime = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString()

const createEvent = (seq: number, status: EventRecord['status'] = 'delivered') =>
  ({ id: `event-${seq}`, seq, status, deliveries: [] as EventRecord['deliveries'] }) as EventRecord
/** From the highest to the lowest. */
const createEvents = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, n) => createEvent(from - n))
const createPage = (events: EventRecord[], hasMore = true): EventList => ({ events, hasMore })
const listSeqs = (events: readonly EventRecord[]) => events.map(({ seq }) => seq)

describe('the pages', () => {
  test('a full newest page that touches what is loaded is put above it', () => {
    const merged = mergeNewest(createEvents(300, 101), createPage(createEvents(320, 221)))
    expect(listSeqs(merged)).toEqual(listSeqs(createEvents(320, 101)))
  })

  test('events that no longer match disappear from the range of a page', () => {
    const page = createEvents(300, 150).filter(({ seq }) => seq % 2 === 0 && seq !== 298)
    const merged = mergeNewest(createEvents(300, 101), createPage([...page, ...createEvents(149, 120)]))
    expect(listSeqs(merged)).not.toContain(298)
    expect(merged.at(-1)?.seq).toBe(101)
  })

  test('a list begins again if more is new than a page holds', () => {
    const page = createPage(createEvents(900, 801))
    expect(mergeNewest(createEvents(300, 101), page)).toBe(page.events)
  })

  test('a page is all there is only if it says so, however short it is', () => {
    const short = createEvents(301, 299)
    expect(mergeNewest(createEvents(300, 101), createPage(short, false))).toBe(short)
    expect(listSeqs(mergeNewest(createEvents(300, 101), createPage(short)))).toEqual(
      listSeqs(createEvents(301, 101)),
    )
    expect(mergeNewest(createEvents(3, 1), createPage([], false))).toEqual([])
  })

  test('an older page replaces its own range', () => {
    const page = createEvents(200, 101).filter(({ seq }) => seq !== 150)
    expect(listSeqs(replaceRange(createEvents(300, 1), page, 201))).toEqual(
      listSeqs(createEvents(300, 1)).filter((seq) => seq !== 150),
    )
    expect(listSeqs(replaceRange(createEvents(300, 1), [], 201))).toEqual(listSeqs(createEvents(300, 201)))
  })

  test('older pages with events that wait are loaded again in turn, however short such a page was', () => {
    const events = createEvents(400, 1)
    expect(findPageToReload(events, Number.POSITIVE_INFINITY)).toBe(undefined)
    events[150] = createEvent(250, 'pending')
    events[170] = createEvent(230, 'pending')
    events[350] = createEvent(50, 'pending')
    // The lowest `seq` of the page before.
    expect([Number.POSITIVE_INFINITY, 240, 201, 1].map((below) => findPageToReload(events, below))).toEqual([
      251, 231, 51, 251,
    ])
  })
})

describe('the sentence', () => {
  const works: DeliveryStatus = {
    pending: 0,
    dead: 0,
    lastDeliveredAt: toTime(60),
    lastFailure: null,
    failingSince: null,
    cause: '',
    waitingSince: null,
    paused: '',
    pausedUntil: null,
  }
  const failure = {
    eventId: 'e',
    type: 'messages',
    at: toTime(20),
    attempts: 2,
    status: 500,
    error: 'status_500',
  }
  const fails: DeliveryStatus = {
    ...works,
    pending: 2,
    lastFailure: failure,
    failingSince: toTime(600),
    cause: 'status_500',
    pausedUntil: toTime(-10),
  }
  const waits = { pending: 3, waitingSince: toTime(8) }

  test.each<[string, Partial<DeliveryStatus>]>([
    ['healthy', works],
    ['idle', { ...works, lastDeliveredAt: '' }],
    ['lossy', { ...works, dead: 1 }],
    ['failing', fails],
    ['failing', { ...fails, cause: 'timeout' }],
    ['gone', { ...fails, paused: 'gone', cause: 'status_410' }],
    ['disabled', { ...works, pending: 4, paused: 'disabled', waitingSince: toTime(900) }],
    // It has had an event for eight seconds.
    ['silent', { ...works, ...waits }],
    ['silent', { ...fails, ...waits, pausedUntil: null }],
    // Something was delivered a moment ago, so the rest is only waiting for its turn.
    ['catchingUp', { ...works, ...waits, lastDeliveredAt: toTime(1) }],
    // … and for so long that the overview counts it.
    ['waiting', { ...works, ...waits, waitingSince: toTime(61), lastDeliveredAt: toTime(1) }],
    // An event has only just become due.
    ['healthy', { ...works, pending: 1, waitingSince: toTime(1) }],
  ])('is that of %s', (state, status) => {
    const health = { registered: true, inheritedGlobal: false, deliveryStatus: { ...works, ...status } }
    expect(describeDelivery(health, NOW).state).toBe(state)
  })

  test.each([
    ['gone', 'resting', { ...fails, paused: 'gone' }],
    ['disabled', 'paused', { ...works, paused: 'disabled' }],
    ['failing', 'failing', fails],
    ['waiting', 'waiting', { ...works, ...waits, waitingSince: toTime(61), lastDeliveredAt: toTime(1) }],
  ] as const)(
    'of %s has the colour and the word that the overview has for it, in each language',
    (state, other, status) => {
      const health = { registered: true, inheritedGlobal: false, deliveryStatus: status }
      expect(describeDelivery(health, NOW)).toMatchObject({ state, kind: webhookKinds[other] })
      for (const { deliveries, overview } of [english, portuguese, spanish]) {
        // Without the ending, which follows the gender of what is named.
        const word = overview.webhookStates[other].toLowerCase().slice(0, 5)
        expect(deliveries.health.labels[state].toLowerCase()).toContain(word)
      }
    },
  )

  test('without a webhook nothing is called delivered', () => {
    expect(describeDelivery({ registered: false, inheritedGlobal: true }, NOW)).toMatchObject({
      state: 'off',
    })
  })

  test('names the cause, and an unknown one by its code', () => {
    const describeTitle = (cause: string) =>
      describeDelivery({ registered: true, inheritedGlobal: false, deliveryStatus: { ...fails, cause } }, NOW)
        .title
    expect(describeTitle('status_503')).toContain('503')
    expect(describeTitle('timeout')).toContain('15 s')
    expect(describeTitle('something_new')).toContain('something_new')
  })
})

describe('an event at a webhook beside the first', () => {
  const delivery = { webhookId: 'W2', status: 'dead' as const, attempts: 12, lastError: 'status_500' }
  const event = { ...createEvent(7), attempts: 1, deliveredAt: toTime(60), deliveries: [delivery] }

  test('has the outcome of that webhook, and nothing of the first', () => {
    const seen = viewAt(event, 'W2')
    expect(seen).toMatchObject({ id: 'event-7', status: 'dead', attempts: 12, lastError: 'status_500' })
    expect(seen).not.toHaveProperty('deliveredAt')
  })

  test('has the worst outcome elsewhere if it is not for the first, which the API calls delivered without a time', () => {
    const { deliveredAt: _, ...notForFirst } = event
    expect(findOutcome(event)).toBe('delivered')
    expect(findOutcome(notForFirst)).toBe('dead')
    expect(findOutcome({ ...notForFirst, deliveries: [] })).toBe('unaddressed')
  })

  test('the chart counts an event by the worst of its outcomes at all webhooks', () => {
    expect(findOutcome(event)).toBe('delivered')
    expect(findWorstOutcome(event)).toBe('dead')
    const waits = { ...delivery, status: 'pending' as const }
    expect(findWorstOutcome({ ...event, deliveries: [waits] })).toBe('pending')
    expect(findWorstOutcome({ ...event, deliveries: [] })).toBe('delivered')
  })

  test('is not there if it is not for it', () => {
    expect(viewAt(event, 'W3')).toBe(undefined)
  })
})

describe('the filters of the address', () => {
  test.each([
    [
      { status: 'dead', type: 'messages' },
      { status: 'dead', type: 'messages' },
    ],
    [{ status: 'delivered' }, { status: 'delivered', unaddressed: false }],
    [{ status: 'unaddressed' }, { unaddressed: true }],
    [{ range: 'hour' }, { from: new Date(NOW - 3_600_000).toISOString() }],
    [{ range: 'hour', from: '2026-01-01T00:00' }, { from: new Date(NOW - 3_600_000).toISOString() }],
    [{ from: '2026-01-02T03:04' }, { from: new Date('2026-01-02T03:04').toISOString() }],
    [{ messageid: 'A1' }, { messageid: 'A1' }],
    [
      { webhook: 'W1', status: 'dead' },
      { status: 'dead', unaddressed: false },
    ],
    [{ webhook: 'W1' }, { unaddressed: false }],
    // Whatever somebody wrote into the address.
    [{ status: 'lost', type: 'nothing', range: '9', from: 'x' }, {}],
  ])('%o asks for %o', (query, filter) => {
    expect(toEventFilter(parseFilter(query as Record<string, string>), NOW)).toEqual({
      payload: false,
      ...filter,
    })
  })

  test('for a webhook beside the first the outcome is not asked of the API, which knows that of the first', () => {
    const filter = parseFilter({ webhook: 'W2', status: 'dead', type: 'messages' })
    expect(toEventFilter(filter, NOW, true)).toEqual({ payload: false, type: 'messages' })
  })
})
