// A bucket for tests: a real server of the S3 interface, which checks signatures, behind a proxy that can refuse, hang, cut, or damage.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// It has no types.
const S3Server = createRequire(import.meta.url)('@20minutes/s3rver') as new (
  options: object,
) => { run(): Promise<AddressInfo>; close(): Promise<void> }

const NAME = 'files'
/** The only key pair that the server knows. */
const KEY = 'S3RVER'

/** A status that is answered in place of the bucket; `silent`: no answer; `cut`: in the middle of the bytes; `damage`: other bytes. */
export type BucketFault = number | 'silent' | 'cut' | 'damage'

export interface Bucket {
  readonly address: { url: string; region: string; accessKeyId: string; secretAccessKey: string }
  /** For MEDIA_STORE_URL. */
  readonly storeUrl: string
  /** What happens to each request from now on. */
  fault: BucketFault | undefined
  /** Requests so far, as `PUT 200`. */
  readonly requests: string[]
  /** The names of the stored files. */
  listFiles(): string[]
  close(): Promise<void>
}

export async function startBucket(): Promise<Bucket> {
  const directory = mkdtempSync(join(tmpdir(), 'bucket-'))
  const options = {
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: NAME }],
  }
  const server = new S3Server(options)
  const { port } = await server.run()
  const requests: string[] = []
  const proxy = createServer((incoming, outgoing) => {
    outgoing.on('finish', () => requests.push(`${incoming.method} ${outgoing.statusCode}`))
    const { fault } = bucket
    if (fault === 'silent') return
    if (fault === 'cut' && incoming.method === 'PUT')
      return void incoming.once('data', () => incoming.destroy())
    if (typeof fault === 'number') {
      outgoing.writeHead(fault).end('<Error><Code>OutOfOrder</Code></Error>')
      incoming.resume()
      return
    }
    passOn(incoming, outgoing, port, fault)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${(proxy.address() as AddressInfo).port}/${NAME}`
  const bucket: Bucket = {
    address: { url: `http://${place}`, region: 'us-east-1', accessKeyId: KEY, secretAccessKey: KEY },
    storeUrl: `s3+http://${KEY}:${KEY}@${place}?region=us-east-1`,
    fault: undefined,
    requests,
    listFiles: () =>
      readdirSync(join(directory, NAME), { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('_object'),
      ),
    async close() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return bucket
}

function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  port: number,
  fault: BucketFault | undefined,
): void {
  const { method, url: path, headers } = incoming
  const passed = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.on('data', (bytes: Buffer) => {
      outgoing.write(fault === 'damage' ? bytes.map((byte) => byte ^ 1) : bytes)
      if (fault === 'cut') outgoing.destroy()
    })
    response.on('end', () => outgoing.end())
  })
  passed.on('error', () => outgoing.destroy())
  incoming.pipe(passed)
}
