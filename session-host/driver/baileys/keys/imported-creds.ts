// The `creds` of a device that another program has linked with the library, of either of its lines.

import { type AuthenticationCreds, generateSignalPubKey, initAuthCreds, proto } from 'baileys'
import * as z from 'zod'
import { verifySignature } from '../patches/verify-signatures.ts'
import {
  Base64,
  bytesOfLength,
  Counter,
  createEncodedBytes,
  isBase64,
  isPublicKey,
  KeyId,
  type KeyPair,
  Long,
  MatchingPair,
  PublicKey,
} from './imported-bytes.ts'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** The library numbers its keys upwards and never begins anew: so many must be left. */
const MAX_NEXT_KEY_ID = 0xf00000
/** Of what is a name or a short record. */
const MAX_LENGTH = 1000

const NextKeyId = KeyId.positive().max(MAX_NEXT_KEY_ID)
const Short = z.string().max(MAX_LENGTH)

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
  nextPreKeyId: NextKeyId,
  firstUnuploadedPreKeyId: NextKeyId,
  me: z.object({
    id: z.string().regex(/^[1-9]\d{4,19}(:\d{1,5})?@s\.whatsapp\.net$/, 'must be the id of an account'),
    lid: z
      .string()
      .regex(/^[1-9]\d{4,19}(:\d{1,5})?@lid$/, 'must be a LID')
      .optional(),
    name: Short.optional(),
  }),
  account: z.object({
    details: createEncodedBytes()
      .refine(({ length }) => length <= MAX_LENGTH, `must have at most ${MAX_LENGTH} bytes`)
      .refine(isIdentity, 'must be the identity of a device'),
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
  signalIdentities: z
    .array(
      z.object({
        identifier: z.object({ name: Short, deviceId: z.int().nonnegative() }),
        identifierKey: PublicKey,
      }),
    )
    .max(MAX_LENGTH),
  myAppStateKeyId: Base64.max(MAX_LENGTH),
  lastAccountSyncTimestamp: z.number(),
  platform: Short,
  accountSyncCounter: z.int().nonnegative(),
  accountSettings: z.object({
    unarchiveChats: z.boolean(),
    defaultDisappearingMode: z
      .object({ ephemeralExpiration: Counter.nullish(), ephemeralSettingTimestamp: Long.nullish() })
      .nullish(),
  }),
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
