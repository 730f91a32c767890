// Linking by pairing code: the phone's side of the key agreement.
import { randomBytes } from 'node:crypto'
import { stanza } from '../codec/stanza.ts'
import { applyCtr, hkdf, openGcm, pairingCodeKey } from '../crypto/ciphers.ts'
import { agree, generateKeyPair } from '../crypto/curve.ts'
import { SERVER } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import { admit } from './admit.ts'
import type { CodePairing, FinishedCode } from './code-pairings.ts'
import { PairingRefused } from './refused.ts'

const SALT = 32
const COUNTER = 16
const NONCE = 12
const KEY = 32
const ANSWER_DEADLINE_MS = 15_000

/** Resolves to the device number, or to null while the device has to show a passkey. A code that fits no waiting device is refused. */
export async function typeCode(network: Network, account: Account, code: string): Promise<number | null> {
  const waiting = network.codes.waitingFor(account.number)
  if (waiting.length === 0) throw new PairingRefused('no device waits for a code of this number')
  // The code itself can't be looked up: only the answer of the device that made it can be opened.
  for (const pairing of waiting) {
    const secret = await agreeOnSecret(account, pairing, code)
    if (secret !== undefined) return admit(network, pairing.connection, account, secret)
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
  const unwrapped = await unwrap(code, wrappedKey)
  const ephemeral = generateKeyPair()
  const wrappedOwn = await wrap(code, ephemeral.public)
  // The verdict falls inside the device's own request, so that it hears whether its answer was good.
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(deadline)
      pairing.finish = undefined
      end()
    }
    const late = () => settle(() => reject(new PairingRefused('the device did not answer')))
    const deadline = setTimeout(late, ANSWER_DEADLINE_MS)
    connection.socket.whenClosed(() => settle(() => reject(new PairingRefused('the device went away'))))
    pairing.finish = (answer) => {
      const secret = sharedSecret(account, agree(ephemeral.private, unwrapped), identity, answer)
      settle(() => resolve(secret))
      return secret !== undefined
    }
    connection.socket.send(primaryHello(account, pairing, wrappedOwn))
  })
}

/** Undefined when the device's bundle cannot be decrypted, which means a wrong code. */
function sharedSecret(
  account: Account,
  shared: Buffer,
  identity: Buffer,
  { bundle, identity: announced }: FinishedCode,
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
  const honest =
    ofDevice.equals(identity) && announced.equals(identity) && ofAccount.equals(account.identity.public)
  if (!honest || random.length !== KEY) return undefined
  const identities = agree(account.identity.private, identity)
  return hkdf(Buffer.concat([shared, identities, random]), KEY, undefined, 'adv_secret')
}

async function unwrap(code: string, wrapped: Buffer): Promise<Buffer> {
  const key = await pairingCodeKey(code, wrapped.subarray(0, SALT))
  return applyCtr(key, wrapped.subarray(SALT, SALT + COUNTER), wrapped.subarray(SALT + COUNTER))
}

async function wrap(code: string, publicKey: Buffer): Promise<Buffer> {
  const salt = randomBytes(SALT)
  const counter = randomBytes(COUNTER)
  return Buffer.concat([salt, counter, applyCtr(await pairingCodeKey(code, salt), counter, publicKey)])
}

function primaryHello(account: Account, pairing: CodePairing, wrappedKey: Buffer) {
  const id = freshId()
  const t = seconds()
  return stanza('notification', { from: SERVER, type: 'link_code_companion_reg', id, t }, [
    stanza('link_code_companion_reg', { stage: 'primary_hello' }, [
      stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrappedKey),
      stanza('primary_identity_pub', {}, account.identity.public),
      stanza('link_code_pairing_ref', {}, pairing.reference),
    ]),
  ])
}
