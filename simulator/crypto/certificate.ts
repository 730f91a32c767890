// The certificate of the media host on this machine. It is self-signed and cannot sign others.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import {
  encodeBits,
  encodeContext,
  encodeInteger,
  encodeObjectId,
  encodeOctets,
  encodeSequence,
  encodeSet,
  encodeTagged,
  encodeTime,
  encodeUtf8,
} from './der.ts'

const ECDSA_WITH_SHA256 = encodeSequence(encodeObjectId('1.2.840.10045.4.3.2'))
const COMMON_NAME = '2.5.4.3'
const ALTERNATIVE_NAMES = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const VERSION_3 = Buffer.from([2])
const TRUE = encodeTagged(0x01, Buffer.from([0xff]))
const DAY_MS = 86_400_000
const YEARS = 20

/** A private key in DER, for `createCertificate`. */
export function createHostKey(): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ format: 'der', type: 'pkcs8' })
}

/** A certificate in DER, valid for `YEARS` from now. Every call makes another one. */
export function createCertificate(hostKey: Buffer): Buffer {
  const key = createPrivateKey({ key: hostKey, format: 'der', type: 'pkcs8' })
  const name = encodeSequence(
    encodeSet(encodeSequence(encodeObjectId(COMMON_NAME), encodeUtf8('simulated network, media'))),
  )
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)])
  const now = Date.now()
  const validity = encodeSequence(
    encodeTime(new Date(now - DAY_MS)),
    encodeTime(new Date(now + YEARS * 365 * DAY_MS)),
  )
  const body = encodeSequence(
    encodeContext(0, encodeInteger(VERSION_3)),
    encodeInteger(serial),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    exportPublicKey(hostKey),
    encodeContext(3, encodeSequence(encodeBasicConstraints(), encodeAlternativeNames())),
  )
  return encodeSequence(body, ECDSA_WITH_SHA256, encodeBits(sign('sha256', body, key)))
}

export function toPem(hostKey: Buffer, certificate: Buffer) {
  return { key: encodePem('PRIVATE KEY', hostKey), certificate: encodePem('CERTIFICATE', certificate) }
}

function exportPublicKey(hostKey: Buffer): Buffer {
  const key = createPrivateKey({ key: hostKey, format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' })
}

function encodeBasicConstraints(): Buffer {
  return encodeSequence(encodeObjectId(BASIC_CONSTRAINTS), TRUE, encodeOctets(encodeSequence()))
}

function encodeAlternativeNames(): Buffer {
  const names = encodeSequence(
    encodeTagged(0x82, Buffer.from('localhost')),
    encodeTagged(0x87, Buffer.from([127, 0, 0, 1])),
  )
  return encodeSequence(encodeObjectId(ALTERNATIVE_NAMES), encodeOctets(names))
}

function encodePem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
