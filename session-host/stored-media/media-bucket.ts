// A bucket with the S3 interface: requests are signed (version 4), and uploads with the digest of their bytes, so that none is stored torn.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { BucketAddress } from '@msgnet/shared/media-settings.ts'
import { AwsV4Signer } from 'aws4fetch'
import { endWhenSilent } from '../process/end-when-silent.ts'
import type { MediaStore } from './media-store.ts'

/** A connection without traffic for this long is closed, unless that is due to who reads the file. */
const IDLE_MS = 20 * SECOND
/** Of an error's response, whose code is logged. */
const MAX_ERROR_BYTES = 4096
const HASH_OF_NOTHING = createHash('sha256').digest('hex')

/** The bucket has refused a request. */
class BucketRefusal extends Error {
  readonly status: number

  constructor(method: string, status: number, code: string) {
    super(`the bucket answered ${status}${code && ` ${code}`} to ${method}`)
    this.status = status
  }
}

export class MediaBucket implements MediaStore {
  readonly #address: BucketAddress
  readonly #idleMs: number

  constructor(address: BucketAddress, idleMs = IDLE_MS) {
    this.#address = address
    this.#idleMs = idleMs
  }

  async storeFile(name: string, path: string, signal: AbortSignal): Promise<void> {
    const response = await this.#send('PUT', name, signal, path)
    await expectStatus('PUT', response, [200, 201, 204])
  }

  async hasFile(name: string, signal: AbortSignal): Promise<boolean> {
    const response = await this.#send('HEAD', name, signal)
    await expectStatus('HEAD', response, [200, 404])
    return response.statusCode === 200
  }

  async openFile(name: string, signal: AbortSignal): Promise<Readable | undefined> {
    const response = await this.#send('GET', name, signal)
    if (response.statusCode === 200) return response
    await expectStatus('GET', response, [404])
    return undefined
  }

  async deleteFile(name: string, signal: AbortSignal): Promise<void> {
    const response = await this.#send('DELETE', name, signal)
    await expectStatus('DELETE', response, [200, 202, 204, 404])
  }

  async #send(method: string, name: string, signal: AbortSignal, path?: string): Promise<IncomingMessage> {
    const digest = path === undefined ? HASH_OF_NOTHING : await hashFile(path)
    const signer = new AwsV4Signer({
      ...this.#address,
      url: `${this.#address.url}/${name}`,
      method,
      headers: { 'x-amz-content-sha256': digest },
      service: 's3',
    })
    const { url, headers } = await signer.sign()
    const length = path === undefined ? {} : { 'content-length': (await stat(path)).size }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const open = url.protocol === 'https:' ? requestHttps : requestHttp
    const options = {
      method,
      headers: { ...Object.fromEntries(headers), ...length },
      signal,
      timeout: this.#idleMs,
    }
    const outgoing = open(url, options, resolve)
    endWhenSilent(outgoing, this.#idleMs, 'the bucket did not respond')
    outgoing.on('error', reject)
    if (path === undefined) outgoing.end()
    // The response may come before the end of the upload, and says more than its error.
    else pipeline(createReadStream(path), outgoing).catch(reject)
    return promise
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Reads the rest of the response. */
async function expectStatus(method: string, response: IncomingMessage, expected: number[]): Promise<void> {
  const status = response.statusCode ?? 0
  if (expected.includes(status)) {
    response.resume()
    return
  }
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > MAX_ERROR_BYTES) break
  }
  const [, code = ''] = /<Code>([\w.]{1,64})<\/Code>/.exec(text) ?? []
  throw new BucketRefusal(method, status, code)
}
