// What the operator sets for the bridge that feeds a queue.

import { webhookEvents } from '@msgnet/shared/contract/event-names.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { isClearText } from '@msgnet/shared/plain-http.ts'
import { readChoice, readText, readVariable } from '../bridge-variables.ts'

const kinds = {
  'amqp:': 'rabbitmq',
  'amqps:': 'rabbitmq',
  'nats:': 'nats',
  'tls:': 'nats',
  'https:': 'sqs',
  'http:': 'sqs',
} as const

const URL_EXPECTED = 'must be amqp://…, amqps://…, nats://…, tls://… or the https://… URL of a queue of SQS'

/** Undefined if the text is no URL of a queue. Only a queue of SQS on this machine, for tests, is without TLS. */
function parseQueueUrl(text: string) {
  const url = URL.parse(text)
  const kind = kinds[url?.protocol as keyof typeof kinds]
  if (!url?.hostname || !kind) return undefined
  if (kind === 'sqs' && (isClearText(text) || !/^\/.+\/[\w.-]+$/.test(url.pathname))) return undefined
  return { url, kind }
}

/** The message must not repeat the value, which has a password. */
function readQueueUrl() {
  const parsed = parseQueueUrl(readVariable('QUEUE_URL'))
  if (parsed) return parsed
  throw new OperatorError(`QUEUE_URL ${URL_EXPECTED}`)
}

function readBaseUrl(): string {
  const url = process.env.GATEWAY || 'http://127.0.0.1:8787'
  if (/^https?:/.test(url) && URL.canParse(url)) return url
  throw new OperatorError('GATEWAY must be the URL of the gateway')
}

function readCredential(): { token: string } | { adminToken: string } {
  const { TOKEN: token, ADMIN_TOKEN: adminToken } = process.env
  if (token && adminToken) throw new OperatorError('TOKEN and ADMIN_TOKEN must not both be set')
  if (token) return { token }
  if (adminToken) return { adminToken }
  throw new OperatorError('TOKEN is not set, nor is ADMIN_TOKEN')
}

/** Undefined: all. */
function readEvents(): Set<string> | undefined {
  const names = (process.env.EVENTS ?? '').split(',').map((name) => name.trim())
  const chosen = names.filter((name) => name !== '' && name !== 'all')
  if (chosen.some((name) => !(webhookEvents as readonly string[]).includes(name)))
    throw new OperatorError(`EVENTS must be all or some of ${webhookEvents.join(', ')}`)
  return chosen.length === 0 || names.includes('all') ? undefined : new Set(chosen)
}

const EXCHANGE = /^[\w.:-]{1,255}$/
const SUBJECT = /^[\w-]+(\.[\w-]+)*$/

/** Of a queue of SQS: its host names the region, unless it is not Amazon's own. */
function readRegion(host: string): string {
  return /^sqs\.([\w-]+)\.amazonaws\./.exec(host)?.[1] ?? readVariable('AWS_REGION')
}

export type QueueSettings = ReturnType<typeof readQueueSettings>

export function readQueueSettings() {
  return {
    ...readQueueUrl(),
    baseUrl: readBaseUrl(),
    credential: readCredential(),
    events: readEvents(),
    /** Where an instance begins that the bridge has never seen. */
    startAt: readChoice('START_AT', ['now', 'oldest']),
  }
}

export const readExchange = () =>
  readText('EXCHANGE', 'amq.topic', EXCHANGE, 'must be the name of an exchange')

export const readNatsSettings = () => ({
  subject: readText('SUBJECT', 'msgnet', SUBJECT, 'must be words with dots between them'),
  /** The path of a file with a JWT and its key. */
  credentials: process.env.NATS_CREDENTIALS || undefined,
})

export const readSqsSettings = ({ host }: URL) => ({
  region: readRegion(host),
  accessKeyId: readVariable('AWS_ACCESS_KEY_ID'),
  secretAccessKey: readVariable('AWS_SECRET_ACCESS_KEY'),
  ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
})
