// The certificate chain that authenticates this server: root, intermediate, leaf.
import { proto } from '../codec/protobuf.ts'
import { generateKeyPair, type KeyPair, signMessage } from '../crypto/curve.ts'

export type ServerIdentity = {
  /** The static key of the handshake, certified by the leaf. */
  keys: KeyPair
  /** The encoded chain without the root, which a client knows already. */
  chain: Buffer
}

type CertificateDetails = proto.CertChain.NoiseCertificate.IDetails

const DAY = 86_400
/** The library requires this serial for the issuer of the intermediate. */
const ROOT_SERIAL = 0
const INTERMEDIATE_SERIAL = 1
const LEAF_SERIAL = 2

export function createServerIdentity(root: KeyPair, keys: KeyPair): ServerIdentity {
  const intermediate = generateKeyPair()
  const now = Math.floor(Date.now() / 1000)
  const validity = { notBefore: now - DAY, notAfter: now + 365 * DAY }
  const chain = proto.CertChain.encode({
    intermediate: buildCertificate(root, {
      serial: INTERMEDIATE_SERIAL,
      issuerSerial: ROOT_SERIAL,
      key: intermediate.public,
      ...validity,
    }),
    leaf: buildCertificate(intermediate, {
      serial: LEAF_SERIAL,
      issuerSerial: INTERMEDIATE_SERIAL,
      key: keys.public,
      ...validity,
    }),
  }).finish()
  return { keys, chain: Buffer.from(chain) }
}

function buildCertificate(issuer: KeyPair, fields: CertificateDetails): proto.CertChain.INoiseCertificate {
  const details = proto.CertChain.NoiseCertificate.Details.encode(fields).finish()
  return { details, signature: signMessage(issuer.private, details) }
}
