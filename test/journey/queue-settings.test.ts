// The settings of the bridge that feeds a queue: a wrong one stops its start with a sentence.

import { openNats } from '@msgnet/bridges/queue/nats.ts'
import {
  readExchange,
  readNatsSettings,
  readQueueSettings,
  readSqsSettings,
} from '@msgnet/bridges/queue/queue-settings.ts'
import { afterEach, expect, test, vi } from 'vitest'

const sqs = 'https://sqs.eu-central-1.amazonaws.com/123456789012/events.fifo'
const keys = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' }
const valid = { QUEUE_URL: sqs, TOKEN: 'mgi_secret', ...keys }

function readSettings(env: Record<string, string>) {
  for (const [name, value] of Object.entries({ ...valid, ...env })) vi.stubEnv(name, value)
  const settings = readQueueSettings()
  const own = {
    rabbitmq: () => ({ exchange: readExchange() }),
    nats: readNatsSettings,
    sqs: () => readSqsSettings(settings.url),
  }
  return { ...settings, ...own[settings.kind]() }
}

afterEach(() => vi.unstubAllEnvs())

test('what is not set is the preset', () => {
  const url = new URL('amqps://user:p%40ss@mq.example.com/shop')
  expect(readSettings({ QUEUE_URL: url.href })).toEqual({
    kind: 'rabbitmq',
    url,
    baseUrl: 'http://127.0.0.1:8787',
    credential: { token: 'mgi_secret' },
    events: undefined,
    startAt: 'now',
    exchange: 'amq.topic',
  })
  const nats = { kind: 'nats', subject: 'msgnet', credentials: undefined }
  expect(readSettings({ QUEUE_URL: 'tls://nats.example.com' })).toMatchObject(nats)
})

test('the address of a queue of SQS names its region, unless it is elsewhere', () => {
  const secrets = { accessKeyId: 'AKIA', secretAccessKey: 'secret' }
  expect(readSettings({})).toMatchObject({ kind: 'sqs', region: 'eu-central-1', ...secrets })
  const QUEUE_URL = 'https://queues.example.com/123456789012/events'
  const settings = readSettings({ QUEUE_URL, AWS_REGION: 'sa-east-1', AWS_SESSION_TOKEN: 'session' })
  expect(settings).toMatchObject({ region: 'sa-east-1', sessionToken: 'session', ...secrets })
})

test.each([
  ['QUEUE_URL', '', {}],
  ['QUEUE_URL', 'mqtt://secret@example.com', {}],
  ['QUEUE_URL', 'http://sqs.example.com/123456789012/secret', {}],
  ['QUEUE_URL', 'https://sqs.eu-central-1.amazonaws.com/', {}],
  ['TOKEN', '', {}],
  ['TOKEN', 'mgi_secret', { ADMIN_TOKEN: 'mga_secret' }],
  ['GATEWAY', 'gateway', {}],
  ['EVENTS', 'messages,message', {}],
  ['START_AT', 'yesterday', {}],
  ['EXCHANGE', 'a b', { QUEUE_URL: 'amqp://localhost' }],
  ['SUBJECT', 'shop.>', { QUEUE_URL: 'nats://localhost' }],
  ['AWS_ACCESS_KEY_ID', '', {}],
  ['AWS_SECRET_ACCESS_KEY', '', {}],
  ['AWS_REGION', '', { QUEUE_URL: 'https://queues.example.com/123456789012/events' }],
])('the bridge does not start with %s=%s (%j)', (name, value, others) => {
  const read = () => readSettings({ ...others, [name]: value })
  expect(read).toThrow(new RegExp(`^${name} (and ADMIN_TOKEN )?(is not set|must )`))
  expect(read).not.toThrow(/secret/)
})

test('a file of credentials that cannot be read is refused with the reason', () => {
  vi.stubEnv('NATS_CREDENTIALS', '/no/such.creds')
  const open = () => openNats(new URL('nats://localhost'))
  expect(open).toThrow('NATS_CREDENTIALS must be the path of a file: that one cannot be read (ENOENT)')
})
