// Sender keys: a chain of message keys that one device of a group shares with all others, and its signing key.
import { randomBytes, randomInt } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { hkdf, hmac, openCbc, sealCbc } from '../crypto/ciphers.ts'
import { addKeyType, KEY_TYPE, verifySignature } from '../crypto/curve.ts'
import { generateSigningKey, signXeddsa } from '../crypto/edwards.ts'

/** Bytes are in base64: chains are stored as JSON. */
export type Chain = { id: number; iteration: number; chainKey: string; signingKey: string }
export type OwnChain = Chain & { signingPrivate: string }
/** `skipped` holds message keys of iterations that have not come yet. */
export type ReceivedChain = Chain & { skipped: [iteration: number, seed: string][] }

const VERSION = 0x33
const SIGNATURE = 64
const NO_SALT = Buffer.alloc(32)
const MAX_AHEAD = 2_000
/** The library skips every second key and never uses it, so only the newest are stored. */
const MAX_SKIPPED = 20

export function createChain(): OwnChain {
  const { public: signingKey, private: signingPrivate } = generateSigningKey()
  return {
    id: randomInt(2 ** 31 - 1),
    iteration: 0,
    chainKey: randomBytes(32).toString('base64'),
    signingKey: signingKey.toString('base64'),
    signingPrivate: signingPrivate.toString('base64'),
  }
}

/** The values that others need to follow the chain from its current position. */
export function encodeDistribution({ id, iteration, chainKey, signingKey }: Chain): Buffer {
  const body = proto.SenderKeyDistributionMessage.encode({
    id,
    iteration,
    chainKey: Buffer.from(chainKey, 'base64'),
    signingKey: addKeyType(Buffer.from(signingKey, 'base64')),
  }).finish()
  return Buffer.concat([Buffer.from([VERSION]), body])
}

/** Throws when it is malformed. */
export function decodeDistribution(bytes: Uint8Array): ReceivedChain {
  if (bytes[0] !== VERSION) throw new Error('a sender key of another version')
  const { id, iteration, chainKey, signingKey } = proto.SenderKeyDistributionMessage.decode(bytes.subarray(1))
  if (typeof id !== 'number' || chainKey?.length !== 32 || signingKey?.length !== 33) {
    throw new Error('a sender key without its parts')
  }
  if (signingKey[0] !== KEY_TYPE[0]) throw new Error('a sender key that signs with another curve')
  return {
    id,
    iteration: iteration ?? 0,
    chainKey: Buffer.from(chainKey).toString('base64'),
    signingKey: Buffer.from(signingKey.subarray(1)).toString('base64'),
    skipped: [],
  }
}

/** Advances the chain by one. */
export function sealInChain(chain: OwnChain, plain: Uint8Array): Buffer {
  const chainKey = Buffer.from(chain.chainKey, 'base64')
  const { iv, key } = deriveMessageKey(deriveSeed(chainKey))
  const body = proto.SenderKeyMessage.encode({
    id: chain.id,
    iteration: chain.iteration,
    ciphertext: sealCbc(key, iv, plain),
  }).finish()
  chain.iteration += 1
  chain.chainKey = deriveNextKey(chainKey).toString('base64')
  const signed = Buffer.concat([Buffer.from([VERSION]), body])
  return Buffer.concat([signed, signXeddsa(Buffer.from(chain.signingPrivate, 'base64'), signed)])
}

/** Advances the chain of the message. Throws if there is none, the signature is wrong, or the key was used. */
export function openInChain(chains: ReceivedChain[], message: Buffer): Buffer {
  const signed = message.subarray(0, -SIGNATURE)
  if (signed[0] !== VERSION) throw new Error('a group message of another version')
  const { id, iteration, ciphertext } = proto.SenderKeyMessage.decode(signed.subarray(1))
  const chain = chains.find((one) => one.id === id)
  if (chain === undefined || !ciphertext) throw new Error('no sender key for this message')
  const signingKey = Buffer.from(chain.signingKey, 'base64')
  if (!verifySignature(signingKey, signed, message.subarray(-SIGNATURE)))
    throw new Error('a forged group message')
  const { iv, key } = deriveMessageKey(takeSeed(chain, iteration ?? 0))
  return openCbc(key, iv, ciphertext)
}

function takeSeed(chain: ReceivedChain, iteration: number): Buffer {
  if (iteration < chain.iteration) {
    const place = chain.skipped.findIndex(([skipped]) => skipped === iteration)
    const [found] = place < 0 ? [] : chain.skipped.splice(place, 1)
    if (found === undefined) throw new Error('this message key was used')
    return Buffer.from(found[1], 'base64')
  }
  if (iteration - chain.iteration > MAX_AHEAD) throw new Error('too far ahead')
  let chainKey: Buffer = Buffer.from(chain.chainKey, 'base64')
  for (; chain.iteration < iteration; chain.iteration += 1) {
    chain.skipped.push([chain.iteration, deriveSeed(chainKey).toString('base64')])
    chainKey = deriveNextKey(chainKey)
  }
  chain.skipped = chain.skipped.slice(-MAX_SKIPPED)
  chain.iteration += 1
  chain.chainKey = deriveNextKey(chainKey).toString('base64')
  return deriveSeed(chainKey)
}

const deriveSeed = (chainKey: Buffer) => hmac(chainKey, Buffer.from([1]))
const deriveNextKey = (chainKey: Buffer) => hmac(chainKey, Buffer.from([2]))

function deriveMessageKey(seed: Buffer): { iv: Buffer; key: Buffer } {
  const derived = hkdf(seed, 48, NO_SALT, 'WhisperGroup')
  return { iv: derived.subarray(0, 16), key: derived.subarray(16) }
}
