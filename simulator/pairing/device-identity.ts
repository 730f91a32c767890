// The identity of a companion: signed by its account, countersigned by itself, authenticated in transit.
import { proto } from '../codec/protobuf.ts'
import { hmac } from '../crypto/ciphers.ts'
import { signMessage, verifySignature } from '../crypto/curve.ts'
import type { Account } from '../store/account-table.ts'

const ACCOUNT_SIGNATURE = Buffer.from([6, 0])
const DEVICE_SIGNATURE = Buffer.from([6, 1])

export type IdentityOffer = {
  /** The identity that the candidate checks and countersigns. */
  sealed: Uint8Array
  details: Buffer
  accountSignature: Buffer
}

/** `secret` is shared by candidate and phone: from the QR code, or agreed by pairing code. */
export function offerIdentity(
  account: Account,
  identity: Buffer,
  keyIndex: number,
  secret: Buffer,
): IdentityOffer {
  const details = Buffer.from(
    proto.ADVDeviceIdentity.encode({
      rawId: account.registration,
      timestamp: Math.floor(Date.now() / 1000),
      keyIndex,
      accountType: proto.ADVEncryptionType.E2EE,
      deviceType: proto.ADVEncryptionType.E2EE,
    }).finish(),
  )
  const accountSignature = signMessage(
    account.identity.private,
    Buffer.concat([ACCOUNT_SIGNATURE, details, identity]),
  )
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: account.identity.public,
    accountSignature,
  }).finish()
  const sealed = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac: hmac(secret, signed),
  }).finish()
  return { sealed, details, accountSignature }
}

/** The identity signed by both, or undefined if it differs from the offered one or is not signed. */
export function verifyCountersignature(
  account: Account,
  identity: Buffer,
  offer: IdentityOffer,
  response: Uint8Array,
): Buffer | undefined {
  const { details, accountSignature, deviceSignature } = proto.ADVSignedDeviceIdentity.decode(response)
  if (!offer.details.equals(details ?? Buffer.alloc(0))) return undefined
  if (!offer.accountSignature.equals(accountSignature ?? Buffer.alloc(0))) return undefined
  const accountKey = account.identity.public
  const message = Buffer.concat([DEVICE_SIGNATURE, offer.details, identity, accountKey])
  if (!deviceSignature || !verifySignature(identity, message, deviceSignature)) return undefined
  return Buffer.from(
    proto.ADVSignedDeviceIdentity.encode({
      details: offer.details,
      accountSignatureKey: accountKey,
      accountSignature: offer.accountSignature,
      deviceSignature,
    }).finish(),
  )
}
