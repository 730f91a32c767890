// The network's media hosts, in the order in which it names them: when one fails, the next one is tried.

import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { type BinaryNode, getBinaryNodeChildren, type WASocket } from 'baileys'
import { describeError, type Log } from '../../../process/host-log.ts'
import type { Clock } from '../../../process/machine-clock.ts'
import type { NetworkOutcome } from '../../driver.ts'
import { connectionLost, findNode, sendQuery } from '../connection/network-query.ts'
import { createMediaRequest, HostRefusal, type MediaAccess, type MediaRequest } from './media-request.ts'

/** The network's name for a kind of file, in the query of a download. */
export type MmsType =
  | 'image'
  | 'video'
  | 'audio'
  | 'document'
  | 'md-app-state'
  | 'md-msg-hist'
  | 'group-history'

/** An encrypted file on the media hosts. */
export interface RemoteFile {
  /** With the query that it was sent with, which is signed. */
  directPath: string
  /** Digest of the encrypted file; empty if it is not known. */
  encryptedSha256: Uint8Array
  type: MmsType
}

interface HostList {
  hosts: string[]
  auth: string
}

/** One request to one of the hosts. */
type Attempt<Value> = (host: string, auth: string) => Promise<Value>

export const TOO_MANY_REQUESTS = 429
/** Refusals that say nothing about the file: the request was too slow, or there are too many. */
const TRANSIENT_CODES = [408, TOO_MANY_REQUESTS]
/** What a host answers to an authorization that has expired. */
const EXPIRED_CODES = [401, 403]
/** Our own refusal of a path that leads to another host. */
const NO_PATH = 400

export class MediaHosts {
  readonly #sock: WASocket
  readonly #clock: Clock
  readonly #log: Log
  readonly #send: MediaRequest
  #known: (HostList & { until: number }) | undefined

  constructor(sock: WASocket, access: MediaAccess, clock: Clock, log: Log) {
    this.#sock = sock
    this.#clock = clock
    this.#log = log
    this.#send = createMediaRequest(access, clock)
  }

  /** Returns the place of the uploaded file. `path` ends in the digest of the encrypted file. */
  uploadFile(
    path: string,
    file: string,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<{ url: string; directPath: string }>> {
    return this.#request(async (host, auth) => {
      const query = new URLSearchParams({ auth, token: path.split('/').at(-1) ?? '' })
      const response = await this.#send(`https://${host}${path}?${query}`, deadline, file)
      const place = JSON.parse(await text(response)) as { url?: string; direct_path?: string }
      const { url, direct_path: directPath } = place
      if (!url || !directPath) throw new Error('the host for files did not say where the file is')
      return { url, directPath }
    }, deadline)
  }

  /** The encrypted bytes. The host is one that the network named, never from the host in the message. */
  downloadFile(file: RemoteFile, deadline: AbortSignal): Promise<NetworkOutcome<IncomingMessage>> {
    return this.#request(async (host) => {
      const url = buildDownloadUrl(host, file)
      if (!url) throw new HostRefusal(NO_PATH)
      return this.#send(url, deadline)
    }, deadline)
  }

  /** A picture that is not encrypted, from a URL that the network sent. */
  async downloadPicture(url: string, deadline: AbortSignal): Promise<NetworkOutcome<IncomingMessage>> {
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
      return { kind: 'unknown', message: 'the picture is not at a host for files' }
    try {
      return { kind: 'done', value: await this.#send(url, deadline) }
    } catch (error) {
      return this.#toOutcome(error)
    }
  }

  async #request<Value>(attempt: Attempt<Value>, deadline: AbortSignal): Promise<NetworkOutcome<Value>> {
    const list = await this.#findHosts(deadline)
    if (list.kind !== 'done') return list
    const outcome = await this.#tryHosts(list.value, attempt, deadline)
    if (outcome.kind !== 'refused' || !EXPIRED_CODES.includes(outcome.code)) return outcome
    this.#known = undefined
    const renewed = await this.#findHosts(deadline)
    return renewed.kind === 'done' ? this.#tryHosts(renewed.value, attempt, deadline) : renewed
  }

  async #findHosts(deadline: AbortSignal): Promise<NetworkOutcome<HostList>> {
    if (this.#known && this.#known.until > this.#clock.now()) return { kind: 'done', value: this.#known }
    const content = [{ tag: 'media_conn', attrs: {} }]
    const query = { xmlns: 'w:m', type: 'set', content, isQuestion: true } as const
    const outcome = await sendQuery(this.#sock, query, deadline)
    if (outcome.kind !== 'done') return outcome
    const list = findNode(outcome.value, 'media_conn')
    const hosts = readHosts(list)
    if (hosts.length === 0) return { kind: 'unknown', message: 'the network named no host for files' }
    const { auth = '', ttl = '0' } = list?.attrs ?? {}
    this.#known = { hosts, auth, until: this.#clock.now() + Number(ttl) * SECOND }
    return { kind: 'done', value: this.#known }
  }

  /** Tries one host after the other until one answers, or refuses for a reason that all of them would have. */
  async #tryHosts<Value>(
    { hosts, auth }: HostList,
    attempt: Attempt<Value>,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<Value>> {
    let failed: NetworkOutcome<Value> = createUnavailable('no response in time')
    for (const host of hosts) {
      if (deadline.aborted) return failed
      try {
        return { kind: 'done', value: await attempt(host, auth) }
      } catch (error) {
        failed = this.#toOutcome(error)
        if (isDefinite(error)) return failed
        this.#log.info({ mediaHost: host, error }, 'failed to reach media host')
      }
    }
    // The next request gets a new list of hosts from the network.
    this.#known = undefined
    return failed
  }

  #toOutcome(error: unknown): NetworkOutcome<never> {
    if (error instanceof HostRefusal && (isDefinite(error) || error.status === TOO_MANY_REQUESTS))
      return { kind: 'refused', code: error.status, message: error.message }
    // The connection's proxy ends with it.
    return this.#sock.ws.isOpen ? createUnavailable(describeError(error)) : connectionLost
  }
}

const createUnavailable = (message: string) =>
  ({ kind: 'prevented', by: 'media_unavailable', message }) as const

const readHosts = (mediaConnection: BinaryNode | undefined): string[] =>
  getBinaryNodeChildren(mediaConnection, 'host').flatMap(({ attrs }) => attrs.hostname ?? [])

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
