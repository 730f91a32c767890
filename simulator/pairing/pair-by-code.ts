// Linking by pairing code: the phone's side of the key agreement.
import { randomBytes } from 'node:crypto'
import { buildStanza } from '../codec/stanza.ts'
import { applyCtr, derivePairingKey, hkdf, openGcm } from '../crypto/ciphers.ts'
import { computeSharedSecret, generateKeyPair } from '../crypto/curve.ts'
import { SERVER } from '../network/address.ts'
import type { CodePairing, CodeResponse } from '../network/code-pairings.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import type { Account } from '../store/account-table.ts'
import { acceptCandidate } from './accept-candidate.ts'
import { PairingRefused } from './pairing-refused.ts'

const SALT = 32
const COUNTER = 16
const NONCE = 12
const KEY = 32
const RESPONSE_DEADLINE_MS = 15_000

/** Resolves to the device number, or to null while the device has to show a passkey. A code that fits no waiting device is refused. */
export async function pairByCode(network: Network, account: Account, code: string): Promise<number | null> {
  const waiting = network.codes.listWaiting(account.number)
  if (waiting.length === 0) throw new PairingRefused('no device waits for a code of this number')
  // The code itself can't be looked up: only the response of the device that shows it can be decrypted.
  for (const pairing of waiting) {
    const secret = await agreeOnSecret(account, pairing, code)
    if (secret !== undefined) return acceptCandidate(network, pairing.connection, account, secret)
  }
  throw new PairingRefused('this code is wrong')
}

async function agreeOnSecret(
  account: Account,
  pairing: CodePairing,
  code: string,
): Promise<Buffer | undefined> {
  const { wrappedKey, connection } = pairing
  if (connection.owner.kind !== 'candidate') return undefined
  if (pairing.finish !== undefined) throw new PairingRefused('another code is being tried')
  const { identity } = connection.owner.candidate
  const unwrapped = await unwrapKey(code, wrappedKey)
  const ephemeral = generateKeyPair()
  const wrappedOwn = await wrapKey(code, ephemeral.public)
  // It is decided within the device's own request, so that the response says whether the code was right.
  return new Promise((resolve, reject) => {
    const finishPairing = (end: () => void) => {
      clearTimeout(deadline)
      pairing.finish = undefined
      end()
    }
    const onTimeout = () => finishPairing(() => reject(new PairingRefused('the device did not respond')))
    const deadline = setTimeout(onTimeout, RESPONSE_DEADLINE_MS)
    connection.socket.onSocketClosed(() =>
      finishPairing(() => reject(new PairingRefused('the device went away'))),
    )
    pairing.finish = (response) => {
      const secret = deriveLinkSecret(
        account,
        computeSharedSecret(ephemeral.private, unwrapped),
        identity,
        response,
      )
      finishPairing(() => resolve(secret))
      return secret !== undefined
    }
    connection.socket.send(buildPrimaryHello(account, pairing, wrappedOwn))
  })
}

/** Undefined when the device's bundle cannot be decrypted, which means a wrong code. */
function deriveLinkSecret(
  account: Account,
  shared: Buffer,
  identity: Buffer,
  { bundle, identity: announced }: CodeResponse,
): Buffer | undefined {
  const key = hkdf(shared, KEY, bundle.subarray(0, SALT), 'link_code_pairing_key_bundle_encryption_key')
  const nonce = bundle.subarray(SALT, SALT + NONCE)
  let opened: Buffer
  try {
    opened = openGcm(key, nonce, bundle.subarray(SALT + NONCE))
  } catch {
    return undefined
  }
  const ofDevice = opened.subarray(0, KEY)
  const ofAccount = opened.subarray(KEY, 2 * KEY)
  const random = opened.subarray(2 * KEY)
  const matches =
    ofDevice.equals(identity) && announced.equals(identity) && ofAccount.equals(account.identity.public)
  if (!matches || random.length !== KEY) return undefined
  const identities = computeSharedSecret(account.identity.private, identity)
  return hkdf(Buffer.concat([shared, identities, random]), KEY, undefined, 'adv_secret')
}

async function unwrapKey(code: string, wrapped: Buffer): Promise<Buffer> {
  const key = await derivePairingKey(code, wrapped.subarray(0, SALT))
  return applyCtr(key, wrapped.subarray(SALT, SALT + COUNTER), wrapped.subarray(SALT + COUNTER))
}

async function wrapKey(code: string, publicKey: Buffer): Promise<Buffer> {
  const salt = randomBytes(SALT)
  const counter = randomBytes(COUNTER)
  return Buffer.concat([salt, counter, applyCtr(await derivePairingKey(code, salt), counter, publicKey)])
}

function buildPrimaryHello(account: Account, pairing: CodePairing, wrappedKey: Buffer) {
  const id = createId()
  const t = formatSeconds()
  return buildStanza('notification', { from: SERVER, type: 'link_code_companion_reg', id, t }, [
    buildStanza('link_code_companion_reg', { stage: 'primary_hello' }, [
      buildStanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrappedKey),
      buildStanza('primary_identity_pub', {}, account.identity.public),
      buildStanza('link_code_pairing_ref', {}, pairing.reference),
    ]),
  ])
}
