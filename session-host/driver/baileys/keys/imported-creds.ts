// The `creds` of a device that another program has linked with the library, of either of its lines.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { type AuthenticationCreds, generateSignalPubKey, initAuthCreds, proto } from 'baileys'
import * as z from 'zod'
import { verifySignature } from '../patches/verify-signatures.ts'
import {
  Base64,
  bytesOfLength,
  createEncodedBytes,
  isBase64,
  isPublicKey,
  KeyId,
  KeyPair,
  PublicKey,
} from './imported-bytes.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** Before the bytes of a private key, and before those of a public one, in the form in which Node takes and gives keys. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

/** They are few, and everything depends on them. */
const MatchingPair = KeyPair.refine(isPair, {
  error: 'has halves that do not belong together',
  path: ['public'],
})

function isPair({ public: key, private: secret }: z.infer<typeof KeyPair>): boolean {
  const from = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
  const own = createPublicKey(from).export({ format: 'der', type: 'spki' })
  return own.subarray(-KEY_BYTES).equals(key.subarray(-KEY_BYTES))
}

/** Without these it is no linked device, and none of them can be made anew. */
const required = {
  noiseKey: MatchingPair,
  signedIdentityKey: MatchingPair,
  signedPreKey: z.object({
    keyPair: MatchingPair,
    signature: bytesOfLength(SIGNATURE_BYTES),
    keyId: KeyId,
    timestampS: z.number().optional(),
  }),
  registrationId: z.int().nonnegative().max(0x7fffffff),
  advSecretKey: z
    .string()
    .refine((text) => isBase64(text, KEY_BYTES), `must be ${KEY_BYTES} bytes in base64`),
  nextPreKeyId: KeyId.positive(),
  firstUnuploadedPreKeyId: KeyId.positive(),
  me: z.object({
    id: z.string().regex(/^[1-9]\d{4,19}(:\d{1,5})?@s\.whatsapp\.net$/, 'must be the id of an account'),
    lid: z
      .string()
      .regex(/^[1-9]\d{4,19}(:\d{1,5})?@lid$/, 'must be a LID')
      .optional(),
    name: z.string().optional(),
  }),
  account: z.object({
    details: createEncodedBytes().refine(isIdentity, 'must be the identity of a device'),
    accountSignatureKey: createEncodedBytes().refine(isPublicKey, 'must be a public key'),
    accountSignature: createEncodedBytes(SIGNATURE_BYTES),
    deviceSignature: createEncodedBytes(SIGNATURE_BYTES),
  }),
}

function isIdentity(details: Uint8Array): boolean {
  try {
    return proto.ADVDeviceIdentity.decode(details).keyIndex !== undefined
  } catch {
    return false
  }
}

/** Older lines do not have all of these. */
const optional = {
  pairingEphemeralKeyPair: MatchingPair,
  signalIdentities: z.array(
    z.object({
      identifier: z.object({ name: z.string(), deviceId: z.int().nonnegative() }),
      identifierKey: PublicKey,
    }),
  ),
  myAppStateKeyId: Base64,
  lastAccountSyncTimestamp: z.number(),
  platform: z.string(),
  accountSyncCounter: z.int().nonnegative(),
  accountSettings: z.looseObject({ unarchiveChats: z.boolean() }),
  registered: z.boolean(),
}

/** What is not named here belonged to the other program, or to its last connection. */
export const ImportedCreds = z
  .object({ ...required, ...z.object(optional).partial().shape })
  .refine(({ signedPreKey, signedIdentityKey }) => isSigned(signedPreKey, signedIdentityKey), {
    error: 'is not that of the identity key',
    path: ['signedPreKey', 'signature'],
  })

/** Others begin a session with the device by this key, and check whose it is. */
function isSigned(
  { keyPair, signature }: z.infer<typeof required.signedPreKey>,
  identity: z.infer<typeof KeyPair>,
): boolean {
  return verifySignature(identity.public, generateSignalPubKey(keyPair.public), signature)
}

/** With what the library makes for a new device in place of what an older line does not have. */
export function completeCreds(imported: z.infer<typeof ImportedCreds>): AuthenticationCreds {
  const present = Object.entries(imported).filter(([, value]) => value !== undefined)
  return { ...initAuthCreds(), ...(Object.fromEntries(present) as typeof imported) } as AuthenticationCreds
}
