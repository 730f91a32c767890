// NATS JetStream: the subject `<prefix>.<instance>.<event>`. The server drops a message whose id a stream has seen within its window.

import { readFileSync } from 'node:fs'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import {
  AuthorizationError,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  InvalidArgumentError,
  type NatsConnection,
  PermissionViolationError,
  RequestError,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node'
import { NotTaken, type Queue, type QueueConnection } from './queue-publisher.ts'
import { readNatsSettings } from './queue-settings.ts'

const REQUEST_MS = 10_000
const PING_MS = 20_000
/** `JetStream not enabled for account`, of the server's list of errors. */
const NOT_ENABLED = 10_039
const refusals = [
  AuthorizationError,
  UserAuthenticationExpiredError,
  PermissionViolationError,
  InvalidArgumentError,
]

export function openNats(url: URL): Queue {
  const { subject, credentials } = readNatsSettings()
  const options = createOptions(url, credentials)
  const name = `NATS at ${url.host}`
  return {
    name,
    // When one is refused, the next may have been stored already.
    maxUnconfirmed: 1,
    connect: () =>
      openConnection(options, subject, name).catch((error) => Promise.reject(toQueueError(error, name))),
  }
}

function createOptions({ host, protocol, username, password }: URL, credentials?: string): ConnectionOptions {
  return {
    servers: host,
    name: 'msgnet queue bridge',
    timeout: REQUEST_MS,
    pingInterval: PING_MS,
    // The bridge connects again itself.
    reconnect: false,
    ...(protocol === 'tls:' && { tls: {} }),
    ...(password !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(password === '' && username !== '' && { token: decodeURIComponent(username) }),
    ...(credentials && { authenticator: credsAuthenticator(readCredentials(credentials)) }),
  }
}

function readCredentials(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`NATS_CREDENTIALS must be the path of a file: that one cannot be read (${code})`)
  }
}

function toQueueError(error: unknown, name: string): unknown {
  const all = [error, (error as Error).cause]
  const refusal = all.find((one) => refusals.some((kind) => one instanceof kind))
  return refusal ? new OperatorError(`${name} refuses: ${(refusal as Error).message}`) : error
}

async function openConnection(
  options: ConnectionOptions,
  prefix: string,
  name: string,
): Promise<QueueConnection> {
  const connection = await connect(options)
  try {
    await requireStream(connection, prefix, name)
  } catch (error) {
    await connection.close()
    throw error
  }
  const client = jetstream(connection, { timeout: REQUEST_MS })
  return {
    async publish({ id, instance, event, body }) {
      const subject = `${prefix}.${instance}.${event}`
      try {
        await client.publish(subject, body, { msgID: id, timeout: REQUEST_MS })
      } catch (error) {
        if (error instanceof JetStreamApiError) throw new NotTaken(error.message)
        if (hasNoStream(error)) throw new NotTaken(`no stream takes the subject ${subject}`)
        throw toQueueError(error, name)
      }
    },
    close: () => connection.close(),
  }
}

/** Several streams may share the subjects. */
async function requireStream(connection: NatsConnection, prefix: string, name: string): Promise<void> {
  const subjects = `${prefix}.>`
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_MS })
  const streams = await manager.streams
    .names(subjects)
    .next()
    .catch((error: unknown) => {
      if (hasNoStream(error) || (error instanceof JetStreamApiError && error.code === NOT_ENABLED))
        throw new OperatorError(`${name} refuses: JetStream is not enabled`)
      throw error
    })
  if (streams.length === 0)
    throw new OperatorError(`${name} refuses: no stream takes the subjects ${subjects}`)
}

/** The library says "not enabled" where nothing listens to the subject. */
function hasNoStream(error: unknown): boolean {
  const { cause } = error as Error
  return cause instanceof RequestError && cause.isNoResponders()
}
