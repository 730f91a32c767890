// What a caller may write to configure a webhook, and the code of each refusal.

import { parseWebhookBody } from '@msgnet/edge/delivery/webhook-body.ts'
import { deliveredEvents } from '@msgnet/shared/contract/event-names.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { describe, expect, test } from 'vitest'

const url = 'https://hooks.example.org/in'
const saveWebhook = (body: Record<string, unknown>) => {
  const subscription = parseWebhookBody({ url, events: 'messages', ...body }, '')
  if (subscription.action !== 'save') throw new Error('was not a save')
  return subscription.destination
}

test('url and events are enough', () => {
  expect(saveWebhook({})).toEqual({
    url,
    events: ['messages'],
    ignoredEvents: [],
    excludeMessages: null,
    enabled: true,
    secret: undefined,
  })
})

test('events are a comma-separated string or an array, and undelivered ones are listed separately', () => {
  expect(saveWebhook({ events: ' connection, messages ,qrcode,messages' })).toMatchObject({
    events: ['connection', 'messages'],
    ignoredEvents: ['qrcode'],
  })
  expect(saveWebhook({ events: ['contacts'] })).toMatchObject({ events: [], ignoredEvents: ['contacts'] })
})

test('all stands for every delivered event', () => {
  expect(saveWebhook({ events: 'all' }).events).toEqual([...deliveredEvents])
  expect(saveWebhook({ events: ['all', 'qrcode'] }).ignoredEvents).toEqual(['qrcode'])
})

test('filters are a string, an array, or nothing', () => {
  expect(saveWebhook({ excludeMessages: 'fromMeYes,isGroupYes' }).excludeMessages).toEqual([
    'fromMeYes',
    'isGroupYes',
  ])
  for (const none of [null, undefined, '', []])
    expect(saveWebhook({ excludeMessages: none }).excludeMessages).toBeNull()
})

test('false can be written in many ways', () => {
  for (const no of [false, null, 0, '0', 'false', ''])
    expect(() => saveWebhook({ addUrlEvents: no })).not.toThrow()
})

test('null and empty texts count as absent, but an empty secret removes it', () => {
  const nothing = { action: '', enabled: null, excludeMessages: '', addUrlEvents: null }
  expect(saveWebhook({ ...nothing, secret: null })).toEqual(saveWebhook({}))
  expect(saveWebhook({ secret: '' }).secret).toBe('')
  expect(parseWebhookBody({ action: 'delete', url: '', events: null }, '')).toEqual({ action: 'delete' })
})

test('a choice of chats is shown as ids; an empty one is for all chats, and an absent one leaves the present', () => {
  expect(saveWebhook({ chats: ['+55 (11) 91000-0001', 'groups', 'groups'] }).chats).toEqual([
    '5511910000001@s.msgnet.net',
    'groups',
  ])
  expect(saveWebhook({ chats: [] }).chats).toBeNull()
  for (const absent of [null, undefined]) expect(saveWebhook({ chats: absent })).not.toHaveProperty('chats')
})

test('delete and inherit allow no other field', () => {
  expect(parseWebhookBody({ action: 'delete' }, '')).toEqual({ action: 'delete' })
  expect(parseWebhookBody({ action: 'inherit', enabled: true }, '')).toEqual({ action: 'inherit' })
})

describe('each refusal has its code and names its field', () => {
  const alone = { action: 'inherit', url: undefined, events: undefined }
  const cases: [string, Record<string, unknown>, string][] = [
    ['an unknown action', { action: 'replace' }, 'action: invalid_action'],
    ['no url', { url: undefined }, 'url: invalid_url'],
    ['a url that is no string', { url: 5 }, 'url: invalid_url'],
    ['a private url', { url: 'https://10.0.0.1/' }, 'url: invalid_url'],
    ['no events', { events: undefined }, 'events: invalid_events'],
    ['empty events', { events: ' , ' }, 'events: invalid_events'],
    ['events of the wrong type', { events: { messages: true } }, 'events: invalid_events'],
    ['an event nobody knows', { events: 'messages,gossip' }, 'events: invalid_event'],
    ['a filter nobody knows', { excludeMessages: ['fromMe'] }, 'excludeMessages: invalid_exclude'],
    ['a secret with a space', { secret: 'two words' }, 'secret: invalid_secret'],
    ['a secret that is too long', { secret: 'x'.repeat(257) }, 'secret: invalid_secret'],
    ['enabled as a word', { enabled: 'yes' }, 'enabled: invalid_body'],
    ['chats as a word', { chats: 'groups' }, 'chats: invalid_body'],
    ['a chat that is none', { chats: ['everybody'] }, 'chats: invalid_body'],
    ['inherit with chats', { ...alone, chats: ['groups'] }, 'chats: invalid_body'],
    ['a URL per event', { addUrlEvents: true }, 'addUrlEvents: unsupported_option'],
    ['a URL per type', { addUrlTypesMessages: 'true' }, 'addUrlTypesMessages: unsupported_option'],
    ['delete with a url', { action: 'delete', events: undefined }, 'url: invalid_url'],
    ['inherit with events', { action: 'inherit', url: undefined }, 'events: invalid_events'],
    ['inherit with a secret', { ...alone, secret: 'sec' }, 'secret: invalid_secret'],
    [
      'inherit with filters',
      { ...alone, excludeMessages: ['fromMeYes'] },
      'excludeMessages: invalid_exclude',
    ],
    ['delete, but not enabled', { ...alone, action: 'delete', enabled: false }, 'enabled: invalid_body'],
    ['delete with enabled as a word', { ...alone, action: 'delete', enabled: 'no' }, 'enabled: invalid_body'],
    ['delete with a URL per event', { ...alone, addUrlEvents: true }, 'addUrlEvents: unsupported_option'],
  ]
  test.each(cases)('%s', (_, body, refusal) => {
    expect(() => saveWebhook(body)).toThrow(Fault)
    try {
      saveWebhook(body)
    } catch (error) {
      const { fault, message } = error as Fault
      expect(`${message.split(/[ []/)[0]}: ${fault}`).toBe(refusal)
    }
  })
})
