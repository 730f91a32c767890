// The network's media hosts: finds the current one, and uploads and downloads files over HTTPS.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import type { Answer } from '../../driver.ts'
import { ask, inside } from '../connection/ask.ts'
import type { ProxyAgents } from '../connection/proxies.ts'

const ORIGIN = 'https://web.whatsapp.com'
/** A connection without traffic for this long is closed. */
const IDLE_MS = 20 * SECOND

export interface Place {
  host: string
  auth: string
}

export interface MediaHost {
  place(deadline: AbortSignal): Promise<Answer<Place>>
  /** Answers the place of the uploaded file. */
  put(path: string, file: string, deadline: AbortSignal): Promise<Answer<{ url: string; directPath: string }>>
  /** The encrypted bytes. They come from a host that the network named, never from the host in the message. */
  get(path: string, deadline: AbortSignal): Promise<Answer<IncomingMessage>>
  /** A picture that is not encrypted, from a URL that the network answered. */
  open(url: string, deadline: AbortSignal): Promise<Answer<IncomingMessage>>
}

export interface MediaAccess {
  /** PEM: the authority for the certificates of those hosts, in place of the public ones. */
  ca: string | undefined
  proxy: Pick<ProxyAgents, 'files' | 'close'> | undefined
}

export function makeMediaHost(sock: WASocket, { ca, proxy }: MediaAccess): MediaHost {
  const agent = proxy?.files ?? new Agent({ keepAlive: false })
  const trust = ca === undefined ? {} : { ca }
  let known: (Place & { until: number }) | undefined

  async function place(deadline: AbortSignal): Promise<Answer<Place>> {
    if (known && known.until > performance.now()) return { kind: 'done', value: known }
    const content = [{ tag: 'media_conn', attrs: {} }]
    const answer = await ask(sock, { xmlns: 'w:m', type: 'set', content }, deadline)
    if (answer.kind !== 'done') return answer
    const { auth = '', ttl = '0' } = inside(answer.value, 'media_conn')?.attrs ?? {}
    const host = inside(answer.value, 'media_conn', 'host')?.attrs.hostname
    if (!host) return { kind: 'silent', message: 'the network named no host for files' }
    known = { host, auth, until: performance.now() + Number(ttl) * SECOND }
    return { kind: 'done', value: known }
  }

  /** Resolves once the status of the response is known. */
  async function exchange(url: string, file: string | undefined, signal: AbortSignal) {
    const size = file === undefined ? 0 : (await stat(file)).size
    const headers = {
      origin: ORIGIN,
      ...(file !== undefined && { 'content-type': 'application/octet-stream', 'content-length': size }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const method = file === undefined ? 'GET' : 'POST'
    const outgoing = request(url, { agent, ...trust, method, headers, signal, timeout: IDLE_MS }, resolve)
    outgoing.on('timeout', () => outgoing.destroy(new Error('nothing moved')))
    outgoing.on('error', reject)
    if (file === undefined) outgoing.end()
    else createReadStream(file).on('error', reject).pipe(outgoing)
    const response = await promise
    if (response.statusCode === 200) return response
    response.destroy()
    throw new Error(`the host for files answered ${response.statusCode}`)
  }

  const lost = (thrown: unknown): Answer<never> => ({
    kind: 'silent',
    message: thrown instanceof Error ? thrown.message : 'the connection was lost',
  })

  return {
    place,
    async put(path, file, deadline) {
      const at = await place(deadline)
      if (at.kind !== 'done') return at
      const { host, auth } = at.value
      try {
        const url = `https://${host}${path}?${new URLSearchParams({ auth, token: path.split('/').at(-1) ?? '' })}`
        const answer: unknown = JSON.parse(await text(await exchange(url, file, deadline)))
        const { url: stored, direct_path: directPath } = answer as { url?: string; direct_path?: string }
        if (!stored || !directPath) throw new Error('the host for files did not say where the file is')
        return { kind: 'done', value: { url: stored, directPath } }
      } catch (thrown) {
        return lost(thrown)
      }
    },
    async get(path, deadline) {
      const at = await place(deadline)
      if (at.kind !== 'done') return at
      try {
        const url = new URL(path, `https://${at.value.host}`)
        if (url.host !== at.value.host) throw new Error('the path leads elsewhere')
        return { kind: 'done', value: await exchange(url.href, undefined, deadline) }
      } catch (thrown) {
        return lost(thrown)
      }
    },
    async open(url, deadline) {
      try {
        if (new URL(url).protocol !== 'https:') throw new Error('the picture is not at a host for files')
        return { kind: 'done', value: await exchange(url, undefined, deadline) }
      } catch (thrown) {
        return lost(thrown)
      }
    },
  }
}
