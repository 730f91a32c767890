// One request to a media host over HTTPS: a file is uploaded, or its bytes are downloaded.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { endWhenSilent } from '../../../process/end-when-silent.ts'
import type { Clock } from '../../../process/machine-clock.ts'
import type { ProxyAgents } from '../connection/proxy-agents.ts'

const ORIGIN = 'https://web.whatsapp.com'
/** A connection without traffic for this long is closed, unless that is due to who reads the file. */
const IDLE_MS = 20 * SECOND
const SILENT = 'the host for files did not respond'
/** A host that has not begun to respond to a download by then is given up for the next one. */
const RESPONSE_MS = 10 * SECOND

export interface MediaAccess {
  /** PEM: the authority for the certificates of those hosts, in place of the public ones. */
  ca: string | undefined
  proxy: Pick<ProxyAgents, 'files' | 'close'> | undefined
}

/** The host answered with another status than 200. */
export class HostRefusal extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the host for files answered ${status}`)
    this.status = status
  }
}

/** Resolves once the status of the response is known; uploads `file` if there is one. */
export type MediaRequest = (url: string, signal: AbortSignal, file?: string) => Promise<IncomingMessage>

export function createMediaRequest({ ca, proxy }: MediaAccess, clock: Clock): MediaRequest {
  const agent = proxy?.files ?? new Agent({ keepAlive: false })
  const trust = ca === undefined ? {} : { ca }

  return async (url, signal, file) => {
    const size = file === undefined ? 0 : (await stat(file)).size
    const headers = {
      origin: ORIGIN,
      ...(file !== undefined && { 'content-type': 'application/octet-stream', 'content-length': size }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const method = file === undefined ? 'GET' : 'POST'
    const outgoing = request(url, { agent, ...trust, method, headers, signal, timeout: IDLE_MS }, resolve)
    endWhenSilent(outgoing, IDLE_MS, SILENT)
    outgoing.on('error', reject)
    if (file === undefined) outgoing.end()
    else {
      const body = createReadStream(file).on('error', reject)
      outgoing.once('close', () => body.destroy())
      body.pipe(outgoing)
    }
    const destroyRequest = () => outgoing.destroy(new Error(SILENT))
    const cancel = file === undefined ? clock.runAfter(RESPONSE_MS, destroyRequest) : undefined
    const response = await promise.finally(() => cancel?.())
    if (response.statusCode === 200) return response
    response.destroy()
    throw new HostRefusal(response.statusCode ?? 0)
  }
}
