// The media host: companions upload files to it, and everyone can download them.
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import type { Store } from '../store/store.ts'
import { type Media, UploadRefused } from './media.ts'

const HOST = '127.0.0.1'

function routes(media: Media, store: Store) {
  return new Hono()
    .post('/mms/:kind{image|video|audio|document}/:token', async (c) => {
      const body = c.req.raw.body
      if (body === null) throw new UploadRefused(400, 'nothing is uploaded')
      const { path, url } = await media.upload(c.req.param('token'), c.req.query('auth') ?? '', body)
      return c.json({ url, direct_path: path })
    })

    .get('/v/:token', (c) => {
      const token = c.req.param('token')
      const size = store.media.sizeOf(token)
      if (size === undefined) return c.notFound()
      const { start, end } = rangeIn(c.req.header('range'), size)
      if (start > end) return c.body(null, 416)
      const whole = end - start + 1 === size
      const stream = Readable.toWeb(store.media.read(token, { start, end })) as ReadableStream
      return c.body(stream, whole ? 200 : 206, {
        'content-type': 'application/octet-stream',
        'content-length': String(end - start + 1),
        ...(!whole && { 'content-range': `bytes ${start}-${end}/${size}` }),
      })
    })

    .get('/pp/:name{\\d+\\.jpg}', (c) => {
      const jpeg = store.pictures.jpeg(c.req.param('name').replace('.jpg', ''))
      if (jpeg === undefined) return c.notFound()
      return c.body(new Uint8Array(jpeg), 200, { 'content-type': 'image/jpeg' })
    })

    .get('/pp/small/:name{\\d+\\.jpg}', async (c) => {
      const jpeg = store.pictures.jpeg(c.req.param('name').replace('.jpg', ''))
      if (jpeg === undefined) return c.notFound()
      return c.body(new Uint8Array(await preview(jpeg)), 200, { 'content-type': 'image/jpeg' })
    })

    .notFound((c) => c.json({ error: 'no such file' }, 404))
    .onError((error, c) => {
      if (error instanceof UploadRefused) return c.json({ error: error.message }, error.status)
      console.error(error)
      return c.json({ error: 'the media host failed' }, 500)
    })
}

const PREVIEW_SIDE = 96

async function preview(jpeg: Buffer): Promise<Buffer> {
  // Loaded once somebody wants one: it takes some 20 MB.
  const { default: sharp } = await import('sharp')
  return sharp(jpeg).resize(PREVIEW_SIDE, PREVIEW_SIDE, { withoutEnlargement: true }).jpeg().toBuffer()
}

function rangeIn(header: string | undefined, size: number) {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  const end = last === undefined || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return { start: Number(first ?? 0), end }
}

/**
 * Without a port that is demanded it takes the one it had at its last run, or any when that is taken: addresses of
 * files outlive a restart as long as nobody else has come to their port.
 */
export async function serveMedia(media: Media, store: Store, demanded: number | undefined) {
  const { fetch } = routes(media, store)
  const { key, certificate } = store.mediaCertificate
  const options = { createServer, serverOptions: { key, cert: certificate } }
  const server = createAdaptorServer({ fetch, ...options }) as Server
  await listen(server, demanded ?? store.places.port('media')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || demanded !== undefined) throw error
    return listen(server, 0)
  })
  const { port } = server.address() as AddressInfo
  store.places.setPort('media', port)
  media.host = `${HOST}:${port}`
  return server
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
