// Accounts of the simulated network that need a passkey: what the network accepts of a device, and what it refuses.
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { aesEncryptGCM, type BinaryNode, Curve, getBinaryNodeChildBuffer, proto, sha256 } from 'baileys'
import { expect, test } from 'vitest'
import { createAuthenticator } from '../authenticator.ts'
import { until } from '../until.ts'
import { type Client, findRefusal } from './client.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000081'
const CHROME = proto.DeviceProps.PlatformType.CHROME

const buildLeaf = (tag: string, content?: Uint8Array): BinaryNode => ({
  tag,
  attrs: {},
  ...(content && { content }),
})
const deriveKey = (secret: Uint8Array, salt: string, info: string) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32))

/** A device whose QR code was scanned, and the parts of what it has to send; a test changes one of them. */
async function scanDevice(world: World) {
  const authenticator = createAuthenticator()
  await world.post('/phones', { number: NUMBER, passkey: true })
  await world.post(`/phones/${NUMBER}/passkey/credentials`, authenticator.created)
  const client = world.createClient()
  client.connect()
  const qr = await client.waitForQr()
  const request = waitForNotification(client, 'passkey_prologue_request')
  const phoneKey = waitForNotification(client, 'crsc_continuation')
  expect(await world.post(`/phones/${NUMBER}/scan`, { qr })).toEqual({ status: 200, body: { device: null } })
  const options = JSON.parse(String(getBinaryNodeChildBuffer(await request, 'passkey_request_options')))
  const sendQuery = (type: string, node: BinaryNode): Promise<BinaryNode> =>
    client.socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type, xmlns: 'md', id: client.socket.generateMessageTag() },
      content: [node],
    })
  const reference = String(getBinaryNodeChildBuffer(await sendQuery('get', buildLeaf('ref')), 'ref'))
  const assertion = authenticator.signChallenge(options)
  const nonce = randomBytes(32)
  const secret = Buffer.from(client.auth.creds.advSecretKey, 'base64')
  return {
    world,
    client,
    sendQuery,
    reference,
    assertion,
    nonce,
    secret,
    keys: Curve.generateKeyPair(),
    phoneKey,
  }
}
type ScannedDevice = Awaited<ReturnType<typeof scanDevice>>

const waitForNotification = (client: Client, type: string) =>
  new Promise<BinaryNode>((resolve) => client.socket.ws.on(`CB:notification,type:${type}`, resolve))

function buildPrologue(
  { assertion, reference, keys, nonce, secret }: ScannedDevice,
  credentialId = assertion.rawId,
): BinaryNode {
  const identity = proto.CompanionEphemeralIdentity.encode({
    publicKey: keys.public,
    deviceType: CHROME,
    ref: reference,
  }).finish()
  const payload = proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment: { hash: sha256(Buffer.concat([identity, nonce])) },
  }).finish()
  const proof = createHmac('sha256', deriveKey(secret, '', 'shortcake-passkey-handoff-v1')).update(payload)
  return {
    ...buildLeaf('passkey_prologue'),
    content: [
      buildLeaf('credential_id', Buffer.from(credentialId, 'base64url')),
      buildLeaf('webauthn_assertion', Buffer.from(JSON.stringify(assertion))),
      buildLeaf('prologue_payload', payload),
      buildLeaf('pairing_handoff_proof', proof.digest()),
    ],
  }
}

async function buildPairingRequest(
  { client, keys, reference, phoneKey }: ScannedDevice,
  noiseKey?: Uint8Array,
) {
  const { creds } = client.auth
  creds.advSecretKey = randomBytes(32).toString('base64')
  const bytes = getBinaryNodeChildBuffer(await phoneKey, 'primary_ephemeral_identity')
  const { publicKey } = proto.PrimaryEphemeralIdentity.decode(bytes ?? Buffer.alloc(0))
  const shared = Curve.sharedKey(keys.private, publicKey ?? Buffer.alloc(0))
  const salt = `Companion Pairing ${CHROME} with ref ${reference}`
  const iv = randomBytes(12)
  const plain = proto.PairingRequest.encode({
    companionPublicKey: noiseKey ?? creds.noiseKey.public,
    companionIdentityKey: creds.signedIdentityKey.public,
    advSecret: Buffer.from(creds.advSecretKey, 'base64'),
  }).finish()
  const key = deriveKey(shared, salt, 'Pairing Information Encryption Key')
  const encryptedPayload = aesEncryptGCM(plain, key, iv, Buffer.alloc(0))
  return buildLeaf(
    'encrypted_pairing_request',
    proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish(),
  )
}

test('a device with the right assertion, nonce and request is linked after the owner confirms', async () => {
  const world = await World.openWorld()
  const device = await scanDevice(world)
  await device.sendQuery('set', buildPrologue(device))
  const early = world.post(`/phones/${NUMBER}/passkey/confirm`)
  expect((await early).status).toBe(409)
  await device.phoneKey
  await device.sendQuery('set', buildLeaf('companion_nonce', device.nonce))
  await device.sendQuery('set', await buildPairingRequest(device))
  expect((await world.post(`/phones/${NUMBER}/passkey/confirm`)).body).toEqual({ device: 1 })
  expect(await device.client.waitForClose()).toBe(515)
  await device.client.goOnline()
  expect(await world.readList('/unknown', 'requests')).toEqual([])
  await world.restart()
  const { demand, credentials } = (await world.get(`/phones/${NUMBER}/passkey`)).body
  expect(demand).toEqual({ rpId: 'localhost', timeoutMs: 600_000, confirmation: true })
  expect(credentials).toEqual([{ id: device.assertion.rawId, counter: 1 }])
})

test.each<[string, number, (device: ScannedDevice) => Promise<unknown>]>([
  [
    'a reference that it has not given',
    400,
    (device) => device.sendQuery('set', buildPrologue({ ...device, reference: '2@x' })),
  ],
  ['an id of another credential', 400, (device) => device.sendQuery('set', buildPrologue(device, 'AAAA'))],
  [
    'a proof of another code',
    400,
    (device) => device.sendQuery('set', buildPrologue({ ...device, secret: randomBytes(32) })),
  ],
  [
    'a nonce before the assertion',
    404,
    (device) => device.sendQuery('set', buildLeaf('companion_nonce', device.nonce)),
  ],
  [
    ...(['a nonce that was not committed to', 400] as const),
    async (device) => {
      await device.sendQuery('set', buildPrologue(device))
      return device.sendQuery('set', buildLeaf('companion_nonce', randomBytes(32)))
    },
  ],
  [
    ...(['a request for another device', 400] as const),
    async (device) => {
      await device.sendQuery('set', buildPrologue(device))
      await device.phoneKey
      await device.sendQuery('set', buildLeaf('companion_nonce', device.nonce))
      return device.sendQuery('set', await buildPairingRequest(device, randomBytes(32)))
    },
  ],
])('%s is refused with %i, and no device is linked', async (_, code, send) => {
  const world = await World.openWorld()
  expect(await findRefusal(send(await scanDevice(world)))).toBe(code)
  expect((await world.post(`/phones/${NUMBER}/passkey/confirm`)).status).toBe(409)
  expect((await world.get(`/phones/${NUMBER}`)).body.companions).toEqual([])
})

test('a credential is registered for its own site only, and the demand for one can be removed', async () => {
  const world = await World.openWorld()
  const registerCredential = async (credential: object) =>
    (await world.post(`/phones/${NUMBER}/passkey/credentials`, credential)).status
  const { created } = createAuthenticator('https://login.example.org')
  await world.post('/phones', { number: NUMBER })
  expect(await registerCredential(created)).toBe(409)
  await world.post('/phones', { number: NUMBER, passkey: true })
  expect(await registerCredential(created)).toBe(400)
  await world.post('/phones', { number: NUMBER, passkey: { rpId: 'example.org' } })
  expect(await registerCredential(created)).toBe(200)
  expect(await registerCredential({ ...created, response: { ...created.response, publicKey: 'AAAA' } })).toBe(
    400,
  )
  await world.post('/phones', { number: NUMBER, passkey: false })
  const client = world.createClient()
  client.connect()
  const scan = await world.post(`/phones/${NUMBER}/scan`, { qr: await client.waitForQr() })
  expect(scan.body).toEqual({ device: 1 })
  await until(() => client.auth.creds.account)
})
