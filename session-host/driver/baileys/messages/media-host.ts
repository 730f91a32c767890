// The network's media hosts, in the order in which it names them: when one fails, the next one is tried.

import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import type { Clock } from '../../../clock.ts'
import { type Log, reason } from '../../../log.ts'
import type { Answer } from '../../driver.ts'
import { ask, inside } from '../connection/ask.ts'
import { HostRefusal, type MediaAccess, makeMediaRequest } from './media-request.ts'

/** The network's name for a kind of file, in the query of a download. */
export type MmsType = 'image' | 'video' | 'audio' | 'document' | 'md-app-state' | 'md-msg-hist'

/** An encrypted file on the media hosts. */
export interface RemoteFile {
  /** With the query that it was sent with, which is signed. */
  directPath: string
  /** Digest of the encrypted file; empty if it is not known. */
  encryptedSha256: Uint8Array
  type: MmsType
}

export interface MediaHost {
  /** Answers the place of the uploaded file. `path` ends in the digest of the encrypted file. */
  put(path: string, file: string, deadline: AbortSignal): Promise<Answer<{ url: string; directPath: string }>>
  /** The encrypted bytes. They come from a host that the network named, never from the host in the message. */
  get(file: RemoteFile, deadline: AbortSignal): Promise<Answer<IncomingMessage>>
  /** A picture that is not encrypted, from a URL that the network answered. */
  open(url: string, deadline: AbortSignal): Promise<Answer<IncomingMessage>>
}

interface Places {
  hosts: string[]
  auth: string
}

const TOO_OFTEN = 429
/** Refusals that say nothing about the file: the request was too slow, or there are too many. */
const PASSING = [408, TOO_OFTEN]
/** What a host answers to an authorization that has expired. */
const EXPIRED = [401, 403]

export function makeMediaHost(sock: WASocket, access: MediaAccess, clock: Clock, log: Log): MediaHost {
  const send = makeMediaRequest(access, clock)
  let known: (Places & { until: number }) | undefined

  async function findPlaces(deadline: AbortSignal): Promise<Answer<Places>> {
    if (known && known.until > clock.now()) return { kind: 'done', value: known }
    const content = [{ tag: 'media_conn', attrs: {} }]
    const answer = await ask(sock, { xmlns: 'w:m', type: 'set', content }, deadline)
    if (answer.kind !== 'done') return answer
    const named = inside(answer.value, 'media_conn')
    const hosts = hostsIn(named)
    if (hosts.length === 0) return { kind: 'silent', message: 'the network named no host for files' }
    const { auth = '', ttl = '0' } = named?.attrs ?? {}
    known = { hosts, auth, until: clock.now() + Number(ttl) * SECOND }
    return { kind: 'done', value: known }
  }

  /** Tries one host after the other until one answers, or refuses for a reason that all of them would have. */
  async function tryHosts<Value>(
    { hosts, auth }: Places,
    attempt: (host: string, auth: string) => Promise<Value>,
    deadline: AbortSignal,
  ): Promise<Answer<Value>> {
    let failed: Answer<Value> = { kind: 'silent', message: 'no answer in time' }
    for (const host of hosts) {
      if (deadline.aborted) return failed
      try {
        return { kind: 'done', value: await attempt(host, auth) }
      } catch (thrown) {
        failed = toAnswer(thrown)
        if (isDefinite(thrown)) return failed
        log.info({ host, why: reason(thrown) }, 'a host for files failed')
      }
    }
    // The next request asks the network which hosts there are by then.
    known = undefined
    return failed
  }

  async function request<Value>(
    attempt: (host: string, auth: string) => Promise<Value>,
    deadline: AbortSignal,
  ): Promise<Answer<Value>> {
    const places = await findPlaces(deadline)
    if (places.kind !== 'done') return places
    const answer = await tryHosts(places.value, attempt, deadline)
    if (answer.kind !== 'refused' || !EXPIRED.includes(answer.code)) return answer
    known = undefined
    const renewed = await findPlaces(deadline)
    return renewed.kind === 'done' ? tryHosts(renewed.value, attempt, deadline) : renewed
  }

  return {
    put: (path, file, deadline) =>
      request(async (host, auth) => {
        const query = new URLSearchParams({ auth, token: path.split('/').at(-1) ?? '' })
        const answer: unknown = JSON.parse(
          await text(await send(`https://${host}${path}?${query}`, deadline, file)),
        )
        const { url, direct_path: directPath } = answer as { url?: string; direct_path?: string }
        if (!url || !directPath) throw new Error('the host for files did not say where the file is')
        return { url, directPath }
      }, deadline),
    get: (file, deadline) =>
      request(async (host) => {
        const url = addressOf(host, file)
        if (!url) throw new HostRefusal(NO_PATH)
        return send(url, deadline)
      }, deadline),
    async open(url, deadline) {
      if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
        return { kind: 'silent', message: 'the picture is not at a host for files' }
      return send(url, deadline).then((value): Answer<IncomingMessage> => ({ kind: 'done', value }), toAnswer)
    },
  }
}

/** Our own refusal of a path that leads to another host. */
const NO_PATH = 400

const hostsIn = (named: BinaryNode | undefined): string[] =>
  getBinaryNodeChildren(named, 'host').flatMap(({ attrs }) => attrs.hostname ?? [])

function addressOf(host: string, { directPath, encryptedSha256, type }: RemoteFile): string | undefined {
  const hash = Buffer.from(encryptedSha256).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  const joint = directPath.includes('?') ? '&' : '?'
  const url = `https://${host}${directPath}${joint}${hash && `hash=${hash}&`}mms-type=${type}&__wa-mms=`
  const leadsThere = directPath.startsWith('/') && URL.canParse(url) && new URL(url).host === host
  return leadsThere ? url : undefined
}

const isDefinite = (thrown: unknown): boolean =>
  thrown instanceof HostRefusal && thrown.status < 500 && !PASSING.includes(thrown.status)

/** After any other error than a refusal it is not known what the host would have said. */
function toAnswer(thrown: unknown): Answer<never> {
  if (!(thrown instanceof HostRefusal)) return { kind: 'silent', message: reason(thrown) }
  const { status: code, message } = thrown
  return isDefinite(thrown) || code === TOO_OFTEN
    ? { kind: 'refused', code, message }
    : { kind: 'silent', message }
}
