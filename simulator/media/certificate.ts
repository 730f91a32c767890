// The certificate of the media host on this machine. It is self-signed and cannot sign others.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { bits, context, integer, object, octets, sequence, set, tagged, time, utf8 } from './der.ts'

export type HostCertificate = { key: string; certificate: string }

const ECDSA_WITH_SHA256 = sequence(object('1.2.840.10045.4.3.2'))
const COMMON_NAME = '2.5.4.3'
const ALTERNATIVE_NAMES = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const VERSION_3 = Buffer.from([2])
const TRUE = tagged(0x01, Buffer.from([0xff]))
const DAY_MS = 86_400_000
const YEARS = 20

/** A private key in DER, for `certify`. */
export function newHostKey(): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ format: 'der', type: 'pkcs8' })
}

/** The certificate in DER. Every call makes another one. */
export function certify(hostKey: Buffer): Buffer {
  const key = createPrivateKey({ key: hostKey, format: 'der', type: 'pkcs8' })
  const name = sequence(set(sequence(object(COMMON_NAME), utf8('simulated network, media'))))
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)])
  const now = Date.now()
  const validity = sequence(time(new Date(now - DAY_MS)), time(new Date(now + YEARS * 365 * DAY_MS)))
  const body = sequence(
    context(0, integer(VERSION_3)),
    integer(serial),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKeyOf(hostKey),
    context(3, sequence(noAuthority(), addresses())),
  )
  return sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, key)))
}

export function inPem(hostKey: Buffer, certificate: Buffer): HostCertificate {
  return { key: pem('PRIVATE KEY', hostKey), certificate: pem('CERTIFICATE', certificate) }
}

function publicKeyOf(hostKey: Buffer): Buffer {
  const key = createPrivateKey({ key: hostKey, format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' })
}

function noAuthority(): Buffer {
  return sequence(object(BASIC_CONSTRAINTS), TRUE, octets(sequence()))
}

function addresses(): Buffer {
  const names = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1])))
  return sequence(object(ALTERNATIVE_NAMES), octets(names))
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
