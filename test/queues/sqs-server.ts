// A stand-in for Amazon SQS, of what the bridge uses: it checks each signature (version 4) with code of its own, and keeps doubles out of a FIFO queue.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import type { QueuedMessage, QueueServer } from './queue-server.ts'

const REGION = 'eu-central-1'
const key = { id: 'AKIATESTTESTTESTTEST', secret: 'k3pt/secret+key' }

interface Entry {
  Id: string
  MessageBody: string
  MessageGroupId?: string
  MessageDeduplicationId?: string
  MessageAttributes: Record<string, { DataType: string; StringValue: string }>
}

class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

export const createSqsServer = async (queue: string): Promise<SqsServer> =>
  new SqsServer(await freePort(), queue)

export class SqsServer implements QueueServer {
  readonly env: Record<string, string>
  readonly strangerEnv: Record<string, string>
  readonly missingEnv: Record<string, string>
  /** How many messages each request had that was answered with success. */
  readonly batches: number[] = []
  /** Entries for which it is true are refused, and the others of their request taken. */
  refuses: (message: QueuedMessage) => boolean = () => false
  /** Called when a request with messages has come. If it throws, none of them is stored. */
  onReceived: (() => Promise<void>) | undefined
  /** Called when the messages of a request are stored, before its response. */
  onStored: (() => Promise<void>) | undefined
  readonly #port: number
  readonly #messages: QueuedMessage[] = []
  readonly #seen = new Set<string>()
  #server: Server | undefined

  constructor(port: number, queue: string) {
    const createEnv = (secret: string, name: string) => ({
      QUEUE_URL: `http://127.0.0.1:${port}/123456789012/${name}`,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: key.id,
      AWS_SECRET_ACCESS_KEY: secret,
    })
    this.#port = port
    this.env = createEnv(key.secret, queue)
    this.strangerEnv = createEnv('wr0ng-secret', queue)
    this.missingEnv = createEnv(key.secret, 'elsewhere')
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => sendAnswer(this.#respond(request), response))
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#server = server
  }

  async kill(): Promise<void> {
    const server = this.#server
    if (!server) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  readMessages = async (): Promise<QueuedMessage[]> => this.#messages
  close = (): Promise<void> => this.kill()

  async #respond(request: IncomingMessage): Promise<object> {
    const body = await text(request)
    verifySignature(request, body)
    const { QueueUrl, Entries = [] } = JSON.parse(body) as { QueueUrl: string; Entries?: Entry[] }
    if (QueueUrl !== this.env.QUEUE_URL) throw new Refusal(400, 'QueueDoesNotExist')
    if (request.headers['x-amz-target'] === 'AmazonSQS.GetQueueAttributes')
      return { Attributes: { MaximumMessageSize: '1048576' } }
    checkBatch(Entries)
    await this.onReceived?.()
    const results = Entries.map((entry) => this.#storeEntry(entry))
    await this.onStored?.()
    this.batches.push(Entries.length)
    return {
      Successful: results.filter(({ Code }) => Code === undefined),
      Failed: results.filter(({ Code }) => Code !== undefined),
    }
  }

  #storeEntry(entry: Entry): { Id: string } & Record<string, unknown> {
    const { Id, MessageDeduplicationId } = entry
    const message = readEntry(entry)
    if (this.refuses(message)) return { Id, Code: 'InternalError', SenderFault: false }
    const isDouble = MessageDeduplicationId !== undefined && this.#seen.has(MessageDeduplicationId)
    this.#seen.add(MessageDeduplicationId ?? '')
    if (!isDouble) this.#messages.push(message)
    return { Id, MessageId: `m-${this.#messages.length}` }
  }
}

async function sendAnswer(answer: Promise<object>, response: ServerResponse): Promise<void> {
  const { status, body } = await answer.then(
    (result) => ({ status: 200, body: result }),
    ({ status = 500, code, message }: Refusal) => ({
      status,
      body: { __type: `com.amazonaws.sqs#${code}`, message },
    }),
  )
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
}

function readEntry({ MessageAttributes, MessageBody, MessageGroupId }: Entry): QueuedMessage {
  const { eventId, EventType } = MessageAttributes
  const { instanceId } = JSON.parse(MessageBody)
  return {
    id: eventId?.StringValue ?? '',
    route: `${MessageGroupId ?? instanceId}.${EventType?.StringValue}`,
    body: MessageBody,
  }
}

/** The characters that SQS takes, and the limits of a request. */
function checkBatch(entries: Entry[]): void {
  if (entries.length === 0 || entries.length > 10) throw new Refusal(400, 'TooManyEntriesInBatchRequest')
  const bytes = entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0)
  if (bytes > 1024 * 1024) throw new Refusal(400, 'BatchRequestTooLong')
  if (
    entries.some(({ MessageBody }) =>
      /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(MessageBody),
    )
  )
    throw new Refusal(400, 'InvalidMessageContents')
}

const hash = (data: string) => createHash('sha256').update(data).digest('hex')
const sign = (secret: string | Buffer, data: string) => createHmac('sha256', secret).update(data).digest()

/** By the description of Amazon's signature version 4, over the bytes that came. */
function verifySignature({ method, url, headers }: IncomingMessage, body: string): void {
  const { authorization = '', 'x-amz-date': date = '' } = headers as Record<string, string>
  const [, id, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), ?SignedHeaders=(\S+), ?Signature=(\w+)$/.exec(
      authorization,
    ) ?? []
  if (id !== key.id || scope !== `${date.slice(0, 8)}/${REGION}/sqs/aws4_request`)
    throw new Refusal(403, 'InvalidClientTokenId')
  if (!['host', 'x-amz-date'].every((name) => names.split(';').includes(name)))
    throw new Refusal(403, 'IncompleteSignature')
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, url, '', lines.join(''), names, hash(body)].join('\n')
  const derived = scope
    .split('/')
    .reduce((secret, part) => sign(secret, part), Buffer.from(`AWS4${key.secret}`))
  const expected = sign(derived, ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n'))
  const came = Buffer.from(signature, 'hex')
  if (came.length !== expected.length || !timingSafeEqual(came, expected))
    throw new Refusal(403, 'SignatureDoesNotMatch')
}
