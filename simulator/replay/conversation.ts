// Plays one recorded socket to one client: answers under the ids that the client's own requests have.
import type { WebSocket } from 'ws'
import { asBuffer, type Stanza, stanza } from '../codec/stanza.ts'
import { generateKeyPair } from '../crypto/curve.ts'
import { readCandidate } from '../pairing/candidate.ts'
import { offerIdentity } from '../pairing/device-identity.ts'
import { readQr } from '../pairing/qr.ts'
import type { Account } from '../store/accounts.ts'
import type { ServerIdentity } from '../wire/certificates.ts'
import { ClientSocket } from '../wire/client-socket.ts'
import { describeRequest, fill, isRequest, type RecordedSocket } from './recording.ts'

/** Requests of callers are not asked again: their answers are left out. */
const ASKED_WITHIN_MS = 150
/** Until a client is logged in it makes each of its requests, and hundreds of keys before one of them. */
const LOGIN_WITHIN_MS = 10_000

export function playSocket(
  socket: WebSocket,
  identity: ServerIdentity,
  lines: RecordedSocket,
  scanned: () => Promise<string>,
) {
  const requests = requestsIn(lines)
  const client: ClientSocket = new ClientSocket(socket, identity, {
    introduced(payload, staticKey) {
      const candidate = readCandidate(payload, staticKey)
      const link = async (recorded: Stanza) =>
        candidate === undefined ? recorded : pairSuccess(recorded, candidate.identity, await scanned())
      play(client, lines, requests, link).catch(() => client.drop())
    },
    received(asked) {
      if (!isRequest(asked)) return
      // Whether the client is alive is its own question, at times of its own.
      if (isPing(asked))
        client.send(stanza('iq', { id: asked.attrs.id, type: 'result', from: 's.whatsapp.net' }))
      else requests.asked(asked)
    },
    closed: () => requests.end(),
  })
}

async function play(
  client: ClientSocket,
  lines: RecordedSocket,
  requests: Requests,
  link: (recorded: Stanza) => Promise<Stanza>,
) {
  for (const line of lines) {
    if (line.what === 'end') return client.end(stanza('xmlstreamend'))
    if (line.what === 'out') continue
    const recorded = fill(line.node)
    const id = recorded.attrs.id ?? ''
    const answers = recorded.tag === 'iq' && requests.has(id)
    const asked = answers ? await requests.wait(id) : id
    if (asked === undefined) continue
    const sent = { ...recorded, attrs: { ...recorded.attrs, ...(id && { id: asked }) } }
    client.send(isPairSuccess(sent) ? await link(sent) : sent)
  }
}

type Requests = ReturnType<typeof requestsIn>

/** The requests of a recorded socket, and the ids under which the client makes them now. */
function requestsIn(lines: RecordedSocket) {
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
  const unasked = [...recorded]
  return {
    has: (id: string) => pings.includes(id) || recorded.some((one) => one.id === id),
    asked(request: Stanza) {
      const about = describeRequest(request)
      const at = unasked.findIndex((one) => one.about === about)
      if (at >= 0) unasked.splice(at, 1)[0]?.now.resolve(request.attrs.id ?? '')
    },
    /** Undefined if the client does not ask this time. */
    async wait(id: string): Promise<string | undefined> {
      const at = recorded.findIndex((one) => one.id === id)
      const found = recorded[at]
      if (found === undefined) return undefined
      const late = Promise.withResolvers<undefined>()
      const timer = setTimeout(
        () => late.resolve(undefined),
        at <= loggedIn ? LOGIN_WITHIN_MS : ASKED_WITHIN_MS,
      )
      return Promise.race([found.now.promise, late.promise]).finally(() => clearTimeout(timer))
    },
    end() {
      for (const { now } of unasked) now.resolve('')
    },
  }
}

const isPing = ({ attrs }: { attrs: Record<string, string> }) => attrs.xmlns === 'w:p'

const isPairSuccess = ({ content }: Stanza) => Array.isArray(content) && content[0]?.tag === 'pair-success'

/** The recorded account signs the identity of the new client: the recorded signature was of another, and was left out. */
function pairSuccess(recorded: Stanza, candidate: Buffer, qr: string): Stanza {
  const code = readQr(qr)
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
