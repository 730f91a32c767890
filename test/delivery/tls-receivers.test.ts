// Receivers and servers of files whose TLS is wrong: what is said of them is that, and not that they cannot be reached.

import { createServer as createSecureServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { isTlsFailure } from '@msgnet/edge/runtime/tls-failure.ts'
import { createCertificate, createHostKey, toPem } from '@msgnet/simulator/crypto/certificate.ts'
import { afterAll, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { listenAtReserved } from '../reserved-ports.ts'
import { borrowScene } from '../scene.ts'

const key = createHostKey()
const { certificate, key: privateKey } = toPem(key, createCertificate(key))
const credentials = { cert: certificate, key: privateKey }
const sockets = new Set<Socket>()
const speak = (bytes: string) => createServer((socket) => socket.on('error', () => undefined).end(bytes))
const PLAIN = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

/** What it does, and the cause of a failed delivery to it. */
const receivers: [string, Server, string][] = [
  [
    'has a certificate that no authority signed',
    createSecureServer(credentials, (_, answer) => answer.end()),
    'tls_failed',
  ],
  ['speaks plain HTTP', speak(PLAIN), 'tls_failed'],
  [
    'speaks only TLS 1.1',
    createSecureServer({ ...credentials, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
    'tls_failed',
  ],
  ['closes the connection', createServer((socket) => socket.destroy()), 'connection_lost'],
]
const places: string[] = []
for (const [, server] of receivers) {
  server.on('connection', (socket) => sockets.add(socket))
  places.push(await listenAtReserved(server as never))
}
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const [, server] of receivers) server.close()
})

const { world, device } = await borrowScene()

test('a receiver whose TLS is wrong has a cause of its own', async () => {
  for (const [place, [manner, , cause]] of receivers.entries()) {
    const saved = await device.caller.post('/webhook', {
      url: `https://${places[place]}/`,
      events: 'messages',
    })
    expect(saved.status).toBe(200)
    const { body } = await device.caller.post('/webhook/test')
    expect([manner, body]).toEqual([
      manner,
      { delivered: false, status: 0, ms: expect.any(Number), error: cause },
    ])
  }
})

test('a file whose server has wrong TLS is refused for that', async () => {
  const number = await createPhone(world)
  const words = receivers.map(([, , cause]) =>
    cause === 'tls_failed' ? 'certificate' : 'its server cannot be reached',
  )
  for (const [place, word] of words.entries()) {
    const file = `https://${places[place]}/a.pdf`
    const { status, body } = await device.caller.post('/send/media', { number, type: 'document', file })
    expect([status, body.error, body.message]).toEqual([
      502,
      'media_unavailable',
      expect.stringContaining(word),
    ])
  }
})

test('a certificate for another name, and one that has expired, are failures of TLS', async () => {
  const [port] = (places[0] ?? '').split(':').slice(1)
  const options = { host: '127.0.0.1', port: Number(port), ca: certificate, servername: 'other.example' }
  const error = await new Promise((resolve) => connect(options).once('error', resolve))
  expect(error).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(isTlsFailure(error)).toBe(true)
  for (const code of ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])
    expect(isTlsFailure(Object.assign(new Error('refused'), { code }))).toBe(true)
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'HPE_INVALID_CONSTANT'])
    expect(isTlsFailure(Object.assign(new Error('refused'), { code }))).toBe(false)
})
