// The network's media hosts, in the order in which it names them: when one fails, the next one is tried.

import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import { describeError, type Log } from '../../../host-log.ts'
import type { Clock } from '../../../machine-clock.ts'
import type { NetworkOutcome } from '../../driver.ts'
import { findNode, sendQuery } from '../connection/network-query.ts'
import { createMediaRequest, HostRefusal, type MediaAccess } from './media-request.ts'

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
  uploadFile(
    path: string,
    file: string,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<{ url: string; directPath: string }>>
  /** The encrypted bytes. They come from a host that the network named, never from the host in the message. */
  downloadFile(file: RemoteFile, deadline: AbortSignal): Promise<NetworkOutcome<IncomingMessage>>
  /** A picture that is not encrypted, from a URL that the network answered. */
  downloadPicture(url: string, deadline: AbortSignal): Promise<NetworkOutcome<IncomingMessage>>
}

interface MediaHosts {
  hosts: string[]
  auth: string
}

const TOO_MANY_REQUESTS = 429
/** Refusals that say nothing about the file: the request was too slow, or there are too many. */
const TRANSIENT_CODES = [408, TOO_MANY_REQUESTS]
/** What a host answers to an authorization that has expired. */
const EXPIRED_CODES = [401, 403]

export function createMediaHost(sock: WASocket, access: MediaAccess, clock: Clock, log: Log): MediaHost {
  const send = createMediaRequest(access, clock)
  let known: (MediaHosts & { until: number }) | undefined

  async function findHosts(deadline: AbortSignal): Promise<NetworkOutcome<MediaHosts>> {
    if (known && known.until > clock.now()) return { kind: 'done', value: known }
    const content = [{ tag: 'media_conn', attrs: {} }]
    const outcome = await sendQuery(sock, { xmlns: 'w:m', type: 'set', content }, deadline)
    if (outcome.kind !== 'done') return outcome
    const named = findNode(outcome.value, 'media_conn')
    const hosts = readHosts(named)
    if (hosts.length === 0) return { kind: 'unknown', message: 'the network named no host for files' }
    const { auth = '', ttl = '0' } = named?.attrs ?? {}
    known = { hosts, auth, until: clock.now() + Number(ttl) * SECOND }
    return { kind: 'done', value: known }
  }

  /** Tries one host after the other until one answers, or refuses for a reason that all of them would have. */
  async function tryHosts<Value>(
    { hosts, auth }: MediaHosts,
    attempt: (host: string, auth: string) => Promise<Value>,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<Value>> {
    let failed: NetworkOutcome<Value> = { kind: 'unknown', message: 'no answer in time' }
    for (const host of hosts) {
      if (deadline.aborted) return failed
      try {
        return { kind: 'done', value: await attempt(host, auth) }
      } catch (error) {
        failed = toOutcome(error)
        if (isDefinite(error)) return failed
        log.info({ host, why: describeError(error) }, 'a host for files failed')
      }
    }
    // The next request asks the network which hosts there are by then.
    known = undefined
    return failed
  }

  async function requestFromHosts<Value>(
    attempt: (host: string, auth: string) => Promise<Value>,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<Value>> {
    const mediaHosts = await findHosts(deadline)
    if (mediaHosts.kind !== 'done') return mediaHosts
    const outcome = await tryHosts(mediaHosts.value, attempt, deadline)
    if (outcome.kind !== 'refused' || !EXPIRED_CODES.includes(outcome.code)) return outcome
    known = undefined
    const renewed = await findHosts(deadline)
    return renewed.kind === 'done' ? tryHosts(renewed.value, attempt, deadline) : renewed
  }

  return {
    uploadFile: (path, file, deadline) =>
      requestFromHosts(async (host, auth) => {
        const query = new URLSearchParams({ auth, token: path.split('/').at(-1) ?? '' })
        const outcome: unknown = JSON.parse(
          await text(await send(`https://${host}${path}?${query}`, deadline, file)),
        )
        const { url, direct_path: directPath } = outcome as { url?: string; direct_path?: string }
        if (!url || !directPath) throw new Error('the host for files did not say where the file is')
        return { url, directPath }
      }, deadline),
    downloadFile: (file, deadline) =>
      requestFromHosts(async (host) => {
        const url = buildDownloadUrl(host, file)
        if (!url) throw new HostRefusal(NO_PATH)
        return send(url, deadline)
      }, deadline),
    async downloadPicture(url, deadline) {
      if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
        return { kind: 'unknown', message: 'the picture is not at a host for files' }
      return send(url, deadline).then(
        (value): NetworkOutcome<IncomingMessage> => ({ kind: 'done', value }),
        toOutcome,
      )
    },
  }
}

/** Our own refusal of a path that leads to another host. */
const NO_PATH = 400

const readHosts = (named: BinaryNode | undefined): string[] =>
  getBinaryNodeChildren(named, 'host').flatMap(({ attrs }) => attrs.hostname ?? [])

function buildDownloadUrl(
  host: string,
  { directPath, encryptedSha256, type }: RemoteFile,
): string | undefined {
  const hash = Buffer.from(encryptedSha256).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  const separator = directPath.includes('?') ? '&' : '?'
  const url = `https://${host}${directPath}${separator}${hash && `hash=${hash}&`}mms-type=${type}&__wa-mms=`
  const isOnHost = directPath.startsWith('/') && URL.canParse(url) && new URL(url).host === host
  return isOnHost ? url : undefined
}

const isDefinite = (error: unknown): boolean =>
  error instanceof HostRefusal && error.status < 500 && !TRANSIENT_CODES.includes(error.status)

/** After any other error than a refusal it is not known what the host would have said. */
function toOutcome(error: unknown): NetworkOutcome<never> {
  if (!(error instanceof HostRefusal)) return { kind: 'unknown', message: describeError(error) }
  const { status: code, message } = error
  return isDefinite(error) || code === TOO_MANY_REQUESTS
    ? { kind: 'refused', code, message }
    : { kind: 'unknown', message }
}
