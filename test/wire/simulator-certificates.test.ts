// The certificates by which a client distinguishes the simulated network from any other server.

import { proto } from '@msgnet/simulator/codec/protobuf.ts'
import { hkdf, openGcm, sha256 } from '@msgnet/simulator/crypto/ciphers.ts'
import { computeSharedSecret, generateKeyPair, verifySignature } from '@msgnet/simulator/crypto/curve.ts'
import { encodeFrame, PROLOGUE } from '@msgnet/simulator/wire/noise-frames.ts'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { World } from './simulator-world.ts'

const PROTOCOL = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
const FIRST_NONCE = Buffer.alloc(12)
const { Details } = proto.CertChain.NoiseCertificate

/** A client's own half of the handshake, as far as the server's certificates. */
async function sendHello(url: string) {
  const socket = new WebSocket(url)
  const own = generateKeyPair()
  const response = new Promise<Buffer>((resolve) => socket.once('message', resolve))
  await new Promise((resolve) => socket.once('open', resolve))
  const hello = proto.HandshakeMessage.encode({ clientHello: { ephemeral: own.public } }).finish()
  socket.send(Buffer.concat([PROLOGUE, encodeFrame(hello)]))
  const { serverHello } = proto.HandshakeMessage.decode((await response).subarray(3))
  socket.terminate()
  const ephemeral = Buffer.from(serverHello?.ephemeral ?? [])
  const sealedStatic = Buffer.from(serverHello?.static ?? [])
  let hash: Buffer = PROTOCOL
  for (const part of [PROLOGUE, own.public, ephemeral]) hash = sha256(Buffer.concat([hash, part]))
  const first = hkdf(computeSharedSecret(own.private, ephemeral), 64, PROTOCOL)
  const staticKey = openGcm(first.subarray(32), FIRST_NONCE, sealedStatic, hash)
  hash = sha256(Buffer.concat([hash, sealedStatic]))
  const second = hkdf(computeSharedSecret(own.private, staticKey), 64, first.subarray(0, 32))
  const payload = openGcm(second.subarray(32), FIRST_NONCE, serverHello?.payload ?? Buffer.alloc(0), hash)
  return { staticKey, chain: proto.CertChain.decode(payload) }
}

test('the root signs the intermediate certificate, the intermediate the leaf, and the leaf certifies the handshake', async () => {
  const world = await World.openWorld()
  const { rootKey } = (await world.get('/network')).body
  const root = Buffer.from(String(rootKey), 'hex')
  expect(root).toHaveLength(32)
  const { staticKey, chain } = await sendHello(world.simulator.networkUrl)
  const intermediate = Details.decode(chain.intermediate?.details ?? Buffer.alloc(0))
  const leaf = Details.decode(chain.leaf?.details ?? Buffer.alloc(0))
  expect(
    verifySignature(root, chain.intermediate?.details ?? root, chain.intermediate?.signature ?? undefined),
  ).toBe(true)
  expect(
    verifySignature(
      intermediate.key ?? root,
      chain.leaf?.details ?? root,
      chain.leaf?.signature ?? undefined,
    ),
  ).toBe(true)
  expect(Buffer.from(leaf.key ?? [])).toEqual(staticKey)
  expect(intermediate.issuerSerial).toBe(0)
  expect(leaf.issuerSerial).toBe(intermediate.serial)
  const now = Date.now() / 1000
  for (const { notBefore, notAfter } of [intermediate, leaf]) {
    expect(Number(notBefore)).toBeLessThan(now)
    expect(Number(notAfter)).toBeGreaterThan(now)
  }
})

test('the chain is not valid under the root of another network', async () => {
  const [one, other] = [await World.openWorld(), await World.openWorld()]
  const { chain } = await sendHello(one.simulator.networkUrl)
  const foreign = Buffer.from(other.simulator.rootKey, 'hex')
  const { details, signature } = chain.intermediate ?? {}
  expect(verifySignature(foreign, details ?? foreign, signature ?? undefined)).toBe(false)
})

test('a stream that opens wrongly is dropped without a response', async () => {
  const world = await World.openWorld()
  const socket = new WebSocket(world.simulator.networkUrl)
  await new Promise((resolve) => socket.once('open', resolve))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  socket.send(Buffer.from('GET / HTTP/1.1'))
  expect(await closed).toBe(1006)
})
