// Plays one recorded socket to one client: responses have the ids of the client's own requests.
import type { WebSocket } from 'ws'
import { asBuffer, buildStanza, type Stanza } from '../codec/stanza.ts'
import { generateKeyPair } from '../crypto/curve.ts'
import { readCandidate } from '../pairing/candidate.ts'
import { offerIdentity } from '../pairing/device-identity.ts'
import { parseQr } from '../pairing/pair-by-qr.ts'
import type { Account } from '../store/account-table.ts'
import type { ServerIdentity } from '../wire/certificates.ts'
import { ClientSocket } from '../wire/client-socket.ts'
import { describeRequest, fillStanza, isRequest, type RecordedSocket } from './recording.ts'

/** Requests that callers caused are not made again: their responses are left out. */
const REQUEST_WITHIN_MS = 150
/** Until a client is logged in it makes each of its requests, and hundreds of keys before one of them. */
const LOGIN_WITHIN_MS = 10_000

export function playSocket(
  socket: WebSocket,
  identity: ServerIdentity,
  lines: RecordedSocket,
  scanned: () => Promise<string>,
) {
  const requests = collectRequests(lines)
  const client: ClientSocket = new ClientSocket(socket, identity, {
    onHandshake(payload, staticKey) {
      const candidate = readCandidate(payload, staticKey)
      const signPairing = async (recorded: Stanza) =>
        candidate === undefined ? recorded : signPairSuccess(recorded, candidate.identity, await scanned())
      playLines(client, lines, requests, signPairing).catch(() => client.drop())
    },
    onStanza(request) {
      if (!isRequest(request)) return
      // Keep-alives come at the client's own times.
      if (isPing(request))
        client.send(buildStanza('iq', { id: request.attrs.id, type: 'result', from: 's.whatsapp.net' }))
      else requests.resolveRequest(request)
    },
    onClosed: () => requests.endAll(),
  })
}

async function playLines(
  client: ClientSocket,
  lines: RecordedSocket,
  requests: Requests,
  link: (recorded: Stanza) => Promise<Stanza>,
) {
  for (const line of lines) {
    if (line.what === 'end') return client.endWith(buildStanza('xmlstreamend'))
    if (line.what === 'out') continue
    const recorded = fillStanza(line.node)
    const id = recorded.attrs.id ?? ''
    const isResponse = recorded.tag === 'iq' && requests.has(id)
    const newId = isResponse ? await requests.waitForRequest(id) : id
    if (newId === undefined) continue
    const sent = { ...recorded, attrs: { ...recorded.attrs, ...(id && { id: newId }) } }
    client.send(isPairSuccess(sent) ? await link(sent) : sent)
  }
}

type Requests = ReturnType<typeof collectRequests>

/** The requests of a recorded socket, and the ids under which the client makes them now. */
function collectRequests(lines: RecordedSocket) {
  const recorded = lines.flatMap((line) =>
    line.what === 'out' && isRequest(line.node) && !isPing(line.node)
      ? [
          {
            id: line.node.attrs.id ?? '',
            about: describeRequest(line.node),
            now: Promise.withResolvers<string>(),
          },
        ]
      : [],
  )
  const pings = lines.flatMap((line) =>
    line.what === 'out' && isPing(line.node) ? [line.node.attrs.id ?? ''] : [],
  )
  const loggedIn = recorded.findIndex(({ about }) => about === 'passive set active')
  const pending = [...recorded]
  return {
    has: (id: string) => pings.includes(id) || recorded.some((one) => one.id === id),
    resolveRequest(request: Stanza) {
      const about = describeRequest(request)
      const at = pending.findIndex((one) => one.about === about)
      if (at >= 0) pending.splice(at, 1)[0]?.now.resolve(request.attrs.id ?? '')
    },
    /** Undefined if the client does not make the request this time. */
    async waitForRequest(id: string): Promise<string | undefined> {
      const at = recorded.findIndex((one) => one.id === id)
      const found = recorded[at]
      if (found === undefined) return undefined
      const late = Promise.withResolvers<undefined>()
      const timer = setTimeout(
        () => late.resolve(undefined),
        at <= loggedIn ? LOGIN_WITHIN_MS : REQUEST_WITHIN_MS,
      )
      return Promise.race([found.now.promise, late.promise]).finally(() => clearTimeout(timer))
    },
    endAll() {
      for (const { now } of pending) now.resolve('')
    },
  }
}

const isPing = ({ attrs }: { attrs: Record<string, string> }) => attrs.xmlns === 'w:p'

const isPairSuccess = ({ content }: Stanza) => Array.isArray(content) && content[0]?.tag === 'pair-success'

/** The recorded account signs the identity of the new client: the recorded signature was of another, and was left out. */
function signPairSuccess(recorded: Stanza, candidate: Buffer, qr: string): Stanza {
  const code = parseQr(qr)
  if (code === undefined || !Array.isArray(recorded.content)) return recorded
  const account = { identity: generateKeyPair() } as Account
  const { sealed } = offerIdentity(account, asBuffer(candidate), 1, code.secret)
  const parts = recorded.content.map((part) =>
    Array.isArray(part.content)
      ? {
          ...part,
          content: part.content.map((one) =>
            one.tag === 'device-identity' ? { ...one, content: sealed } : one,
          ),
        }
      : part,
  )
  return { ...recorded, content: parts }
}
