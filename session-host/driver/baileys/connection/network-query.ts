// Sends a query to the network with our own deadline, and returns its outcome: done, refused or unknown.

import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { NetworkOutcome } from '../../driver.ts'
import { NotWritten } from '../../effect.ts'
import { announceEffectFrame } from './effect-frames.ts'

export interface Query {
  xmlns: string
  type: 'get' | 'set'
  /** The server itself by default. */
  to?: string
  /** The owner of a picture. */
  target?: string
  content: BinaryNode[]
  /** A `set` that changes nothing. */
  isQuestion?: boolean
}

/** The library's own query returns `undefined` without a response, and a number for a dropped socket. */
export async function sendQuery(
  sock: WASocket,
  query: Query,
  deadline: AbortSignal,
): Promise<NetworkOutcome<BinaryNode>> {
  const node: BinaryNode = {
    tag: 'iq',
    attrs: {
      id: sock.generateMessageTag(),
      to: query.to ?? S_WHATSAPP_NET,
      ...(query.target !== undefined && { target: query.target }),
      type: query.type,
      xmlns: query.xmlns,
    },
    content: query.content,
  }
  return runRequest(sock, deadline, async () => {
    if (query.type === 'set' && !query.isQuestion) announceEffectFrame(sock)
    const response = await sock.query(node)
    if (!response) return { kind: 'unknown', message: 'no response' }
    return { kind: 'done', value: response as BinaryNode }
  })
}

export const connectionLost = { kind: 'unknown', message: 'the connection was lost', lost: true } as const

/** Aborted when the socket has ended: the library leaves requests that wait then without an answer. */
const ends = new WeakMap<WASocket, AbortSignal>()

export const setSocketEnd = (sock: WASocket, end: AbortSignal): void => void ends.set(sock, end)

/** Runs a request to the network; an exception, a timeout or the end of the socket becomes an outcome. */
export async function runRequest<Value>(
  sock: WASocket,
  deadline: AbortSignal,
  work: () => Promise<NetworkOutcome<Value>>,
  { endsWithSocket = true } = {},
): Promise<NetworkOutcome<Value>> {
  const end = endsWithSocket ? ends.get(sock) : undefined
  if (deadline.aborted) return { kind: 'unknown', message: 'the deadline had passed' }
  if (end?.aborted) return connectionLost
  const stopped = Promise.withResolvers<NetworkOutcome<Value>>()
  const onAbort = () => stopped.resolve({ kind: 'unknown', message: 'no response in time' })
  const onEnd = () => stopped.resolve(connectionLost)
  deadline.addEventListener('abort', onAbort, { once: true })
  end?.addEventListener('abort', onEnd, { once: true })
  try {
    return await Promise.race([work().catch((error) => toOutcome(sock, error)), stopped.promise])
  } finally {
    deadline.removeEventListener('abort', onAbort)
    end?.removeEventListener('abort', onEnd)
  }
}

/** A refusal has the network's code in `data`; after any other exception the outcome is unknown. */
function toOutcome(sock: WASocket, error: unknown): NetworkOutcome<never> {
  if (!(error instanceof Error)) return connectionLost
  const code = 'data' in error ? error.data : undefined
  if (typeof code === 'number' && Number.isInteger(code))
    return { kind: 'refused', code, message: error.message }
  // The end of a connection may be known by a write sooner than by its event.
  const isLost = !sock.ws.isOpen || error instanceof NotWritten
  return { kind: 'unknown', message: error.message, ...(isLost && { lost: true }) }
}

/** The node inside a response, by its path of tags. */
export function findNode(node: BinaryNode, ...path: string[]): BinaryNode | undefined {
  let found: BinaryNode | undefined = node
  for (const tag of path) found = getBinaryNodeChild(found, tag)
  return found
}

/** A response without the requested value is an unknown outcome. */
export function readResponse<Value>(
  outcome: NetworkOutcome<BinaryNode>,
  parse: (response: BinaryNode) => Value | undefined,
): NetworkOutcome<Value> {
  if (outcome.kind !== 'done') return outcome
  const value = parse(outcome.value)
  if (value === undefined) return { kind: 'unknown', message: 'the response was not understood' }
  return { kind: 'done', value }
}

/** For requests that are done by every response but a refusal. */
export const dropValue = (outcome: NetworkOutcome<BinaryNode>): NetworkOutcome =>
  outcome.kind === 'done' ? { kind: 'done', value: undefined } : outcome
