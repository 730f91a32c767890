// The media hosts: companions upload files to them, and any client can download them. All have the same files.
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { type Media, UploadRefused } from '../media/media-exchange.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Store } from '../store/network-store.ts'

/** A process that stands still for longer, on a busy machine, closes connections whose next request it has not read. Node's own time is 5 s. */
export const KEEP_ALIVE_MS = 75_000

const HOST = '127.0.0.1'
/** The first is the one to be preferred, the others are for when it fails. */
export const MEDIA_HOSTS = 2

type Host = { Bindings: HttpBindings; Variables: { isPartial?: boolean } }

function createMediaRoutes(media: Media, store: Store, failing: ReturnType<typeof createFaultMiddleware>) {
  return new Hono<Host>()
    .use(failing)
    .post('/mms/:kind{image|video|audio|document|sticker|ptt|gif}/:token', async (c) => {
      const body = c.req.raw.body
      if (body === null) throw new UploadRefused(400, 'nothing is uploaded')
      const { path, url } = await media.uploadFile(c.req.param('token'), c.req.query('auth') ?? '', body)
      return c.json({ url, direct_path: path })
    })

    .get('/v/*', (c) => {
      const { pathname, search } = new URL(c.req.url)
      const found = media.findFile(pathname + search)
      if ('refused' in found) return c.json({ error: 'no such file' }, found.refused)
      const { token, size } = found
      const hash = c.req.query('hash')
      if (hash !== undefined && hash.replace(/=$/, '') !== token) return c.notFound()
      const { start, end } = parseRange(c.req.header('range'), size)
      if (start > end) return c.body(null, 416)
      const whole = end - start + 1 === size
      const file = store.media.openFile(token, { start, end })
      const body = c.get('isPartial')
        ? Readable.from(cutInTheMiddle(file, end - start + 1, c.env.incoming.socket))
        : file
      return c.body(Readable.toWeb(body) as ReadableStream, whole ? 200 : 206, {
        'content-type': 'application/octet-stream',
        'content-length': String(end - start + 1),
        ...(!whole && { 'content-range': `bytes ${start}-${end}/${size}` }),
      })
    })

    .get('/pp/:name{\\d+\\.jpg}', (c) => {
      const jpeg = store.pictures.readJpeg(c.req.param('name').replace('.jpg', ''))
      if (jpeg === undefined) return c.notFound()
      return c.body(new Uint8Array(jpeg), 200, { 'content-type': 'image/jpeg' })
    })

    .get('/pp/small/:name{\\d+\\.jpg}', async (c) => {
      const jpeg = store.pictures.readJpeg(c.req.param('name').replace('.jpg', ''))
      if (jpeg === undefined) return c.notFound()
      return c.body(new Uint8Array(await createPreview(jpeg)), 200, { 'content-type': 'image/jpeg' })
    })

    .notFound((c) => c.json({ error: 'no such file' }, 404))
    .onError((error, c) => {
      if (error instanceof UploadRefused) return c.json({ error: error.message }, error.status)
      console.error(error)
      return c.json({ error: 'the media host failed' }, 500)
    })
}

/** What the faults of kind `media` do to a request: no response, an error, or a connection that is cut. */
const createFaultMiddleware = ({ faults }: Network, host: number) =>
  createMiddleware<Host>(async (c, next) => {
    const fault = faults.consumeMediaFault(host, c.req.method === 'GET' ? 'download' : 'upload')
    if (fault === undefined) return next()
    if (fault.partial) {
      c.set('isPartial', true)
      return next()
    }
    if (fault.silent) await new Promise(() => undefined)
    if (fault.code !== undefined) return c.json({ error: 'a fault' }, fault.code as 500)
    c.env.incoming.socket.destroy()
    await new Promise(() => undefined)
  })

async function* cutInTheMiddle(
  file: AsyncIterable<Buffer>,
  size: number,
  socket: Socket,
): AsyncGenerator<Buffer> {
  let left = Math.floor(size / 2)
  for await (const piece of file) {
    yield piece.subarray(0, left)
    left -= piece.length
    if (left <= 0) break
  }
  socket.destroy()
}

const PREVIEW_SIDE = 96

async function createPreview(jpeg: Buffer): Promise<Buffer> {
  // Loaded at the first request: it needs some 20 MB.
  const { default: sharp } = await import('sharp')
  return sharp(jpeg).resize(PREVIEW_SIDE, PREVIEW_SIDE, { withoutEnlargement: true }).jpeg().toBuffer()
}

function parseRange(header: string | undefined, size: number) {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  const end = last === undefined || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return { start: Number(first ?? 0), end }
}

/**
 * Without a requested port each host takes the port of its last run, or a free one if that is in use: the addresses of
 * files outlive a restart as long as no other process uses their port. `requestedPort` is the first host's.
 */
export async function startMediaHosts(
  network: Network,
  requestedPort: number | undefined,
): Promise<Server[]> {
  const servers: Server[] = []
  try {
    for (let host = 1; host <= MEDIA_HOSTS; host += 1)
      servers.push(await startMediaHost(network, host, host === 1 ? requestedPort : undefined))
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
  return servers
}

async function startMediaHost(
  network: Network,
  host: number,
  requestedPort: number | undefined,
): Promise<Server> {
  const { media, store } = network
  const { fetch } = createMediaRoutes(media, store, createFaultMiddleware(network, host))
  const { key, certificate } = store.mediaCertificate
  const options = { createServer, serverOptions: { key, cert: certificate, keepAliveTimeout: KEEP_ALIVE_MS } }
  const server = createAdaptorServer({ fetch, ...options }) as Server
  const name = host === 1 ? 'media' : `media ${host}`
  await listenOn(server, requestedPort ?? store.ports.findPort(name)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || requestedPort !== undefined) throw error
      return listenOn(server, 0)
    },
  )
  const { port } = server.address() as AddressInfo
  store.ports.setPort(name, port)
  media.hosts.push(`${HOST}:${port}`)
  return server
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
