// The `creds` of a device that another program has linked with the library, of either of its lines.

import { type AuthenticationCreds, initAuthCreds } from 'baileys'
import * as z from 'zod'

const KEY_BYTES = 32
/** Public keys are written with and without the byte of their type. */
const TYPED_KEY_BYTES = 33
const SIGNATURE_BYTES = 64

export const Bytes = z.instanceof(Uint8Array, { error: 'must be bytes' })
/** What the network's messages are made of is written in base64. */
const EncodedBytes = z.union([Bytes, z.base64().transform((text) => Buffer.from(text, 'base64'))], {
  error: 'must be bytes',
})
export const PublicKey = Bytes.refine(
  ({ length }) => length === KEY_BYTES || length === TYPED_KEY_BYTES,
  `must have ${KEY_BYTES} or ${TYPED_KEY_BYTES} bytes`,
)
const PrivateKey = Bytes.refine(({ length }) => length === KEY_BYTES, `must have ${KEY_BYTES} bytes`)
const Signature = Bytes.refine(
  ({ length }) => length === SIGNATURE_BYTES,
  `must have ${SIGNATURE_BYTES} bytes`,
)
export const KeyPair = z.object({ public: PublicKey, private: PrivateKey })

/** Without these it is no linked device, and none of them can be made anew. */
const required = {
  noiseKey: KeyPair,
  signedIdentityKey: KeyPair,
  signedPreKey: z.object({
    keyPair: KeyPair,
    signature: Signature,
    keyId: z.int(),
    timestampS: z.number().optional(),
  }),
  registrationId: z.int().nonnegative(),
  advSecretKey: z.string().min(1),
  nextPreKeyId: z.int().positive(),
  firstUnuploadedPreKeyId: z.int().positive(),
  me: z.object({
    id: z.string().regex(/^\d{5,20}(:\d{1,5})?@s\.whatsapp\.net$/, 'must be the id of an account'),
    lid: z.string().optional(),
    name: z.string().optional(),
  }),
  account: z.object({
    details: EncodedBytes,
    accountSignatureKey: EncodedBytes,
    accountSignature: EncodedBytes,
    deviceSignature: EncodedBytes,
  }),
}

/** Older lines do not have all of these. */
const optional = {
  pairingEphemeralKeyPair: KeyPair,
  signalIdentities: z.array(
    z.object({ identifier: z.object({ name: z.string(), deviceId: z.int() }), identifierKey: PublicKey }),
  ),
  myAppStateKeyId: z.string(),
  lastAccountSyncTimestamp: z.number(),
  platform: z.string(),
  accountSyncCounter: z.int().nonnegative(),
  accountSettings: z.looseObject({ unarchiveChats: z.boolean() }),
  registered: z.boolean(),
}

/** What is not named here belonged to the other program, or to its last connection. */
export const ImportedCreds = z.object({ ...required, ...z.object(optional).partial().shape })

/** With what the library makes for a new device in place of what an older line does not have. */
export function completeCreds(imported: z.infer<typeof ImportedCreds>): AuthenticationCreds {
  const present = Object.entries(imported).filter(([, value]) => value !== undefined)
  return { ...initAuthCreds(), ...(Object.fromEntries(present) as typeof imported) } as AuthenticationCreds
}
