// Bytes in the rows of another program: found in each of the ways in which the library's lines have written them, and in no other.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import * as z from 'zod'

/** More levels than any value of the library has. */
const MAX_DEPTH = 32
const KEY_BYTES = 32
/** Public keys are written with and without the byte of their type. */
const TYPED_KEY_BYTES = 33
const KEY_TYPE = 5
/** Before the bytes of a private key, in the form in which Node takes it. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

/** The value cannot be one of the library. */
export class UnreadableValue extends Error {
  readonly path: PropertyKey[]

  constructor(what: string, path: PropertyKey[] = []) {
    super(what)
    this.path = path
  }
}

/** Undefined if the text is not what base64 of any bytes would be: what is left of such a text would be another key. */
export function decodeBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

export const isPublicKey = (bytes: Uint8Array): boolean =>
  bytes.length === KEY_BYTES || (bytes.length === TYPED_KEY_BYTES && bytes[0] === KEY_TYPE)

export const Bytes = z.instanceof(Uint8Array, { error: 'must be bytes' })
export const bytesOfLength = (length: number) =>
  Bytes.refine((bytes) => bytes.length === length, { error: `must have ${length} bytes`, abort: true })
export const PublicKey = Bytes.refine(isPublicKey, {
  error: `must have ${KEY_BYTES} bytes, or ${TYPED_KEY_BYTES} with the type ${KEY_TYPE}`,
  abort: true,
})
export const PrivateKey = bytesOfLength(KEY_BYTES)
export const KeyPair = z.object({ public: PublicKey, private: PrivateKey })
/** Others encrypt for the public half, so that nothing of it could be read. */
export const MatchingPair = KeyPair.refine(isPair, {
  error: 'has halves that do not belong together',
  path: ['public'],
})

function isPair({ public: key, private: secret }: z.infer<typeof KeyPair>): boolean {
  const from = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
  const own = createPublicKey(from).export({ format: 'der', type: 'spki' })
  return own.subarray(-KEY_BYTES).equals(key.subarray(-KEY_BYTES))
}

/** Numbers of keys have three bytes on the wire. */
export const KeyId = z.int().min(0).max(0xffffff)
export const Counter = z.int().min(0).max(0xffffffff)

/** A number of 64 bits, as JSON shows it. */
export const Long = z.union([
  z.int(),
  z.string().regex(/^-?\d{1,20}$/, 'must be a whole number'),
  z.object({ low: z.int(), high: z.int(), unsigned: z.boolean() }),
])

/** What is in base64 where the library does not write bytes otherwise. */
export const isBase64 = (text: string, length?: number): boolean => {
  const bytes = decodeBase64(text)
  return bytes !== undefined && (length === undefined ? bytes.length > 0 : bytes.length === length)
}
export const Base64 = z.string().refine((text) => isBase64(text), 'must be base64')
/** What the network's messages are made of is written as bytes or in base64. */
export const createEncodedBytes = (length?: number) =>
  z
    .union([Bytes, Base64.transform((text) => Buffer.from(text, 'base64'))], { error: 'must be bytes' })
    .refine(
      (bytes) => (length === undefined ? bytes.length > 0 : bytes.length === length),
      length === undefined ? 'must not be empty' : `must have ${length} bytes`,
    )

/** Makes bytes of all that stand for some. Changes the value. */
export function reviveBytes(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw new UnreadableValue(`is nested deeper than ${MAX_DEPTH} levels`)
  const bytes = findBytes(value)
  if (bytes) return bytes
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') throw new UnreadableValue('has a field with the name "__proto__"')
    if (typeof inner === 'object') Object.assign(value, { [name]: reviveField(name, inner, depth + 1) })
  }
  return value
}

function reviveField(name: string, inner: unknown, depth: number): unknown {
  try {
    return reviveBytes(inner, depth)
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error
    throw new UnreadableValue(error.message, [name, ...error.path])
  }
}

/** `{"type":"Buffer","data":…}` with base64 or a list of numbers, and `{"0":1,"1":2}`, as JSON shows a Uint8Array. */
function findBytes(value: object): Buffer | undefined {
  if ('type' in value && value.type === 'Buffer' && 'data' in value) {
    const bytes = isByteList(value.data) ? Buffer.from(value.data) : decodeBase64(value.data)
    if (!bytes) throw new UnreadableValue('must be bytes, in base64 or as a list of numbers')
    return bytes
  }
  if (Array.isArray(value) || !('0' in value)) return undefined
  const numbers = Object.values(value)
  const isIndexed = Object.keys(value).every((name, at) => name === String(at))
  return isIndexed && isByteList(numbers) ? Buffer.from(numbers) : undefined
}

const isByteList = (list: unknown): list is number[] =>
  Array.isArray(list) && list.every((one) => Number.isInteger(one) && one >= 0 && one <= 255)
