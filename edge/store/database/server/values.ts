// Converts values to and from the database's protocol.

import { decodeBase64, encodeBase64 } from '../../../runtime/base64.ts'
import type { Value } from '../../../runtime/query-types.ts'

interface TypedValue {
  type: string
  value?: string | number
  base64?: string
}

export function toDatabase(value: Value): TypedValue {
  switch (typeof value) {
    case 'string':
      return { type: 'text', value }
    case 'number':
      return Number.isSafeInteger(value)
        ? { type: 'integer', value: String(value) }
        : { type: 'float', value }
    case 'boolean':
      return { type: 'integer', value: value ? '1' : '0' }
    case 'bigint':
      return { type: 'integer', value: String(value) }
  }
  if (value === null) return { type: 'null' }
  if (value instanceof Date) return { type: 'integer', value: String(value.valueOf()) }
  if (value === undefined) throw new TypeError('undefined is no value of the database')
  return { type: 'blob', base64: encodeBase64(new Uint8Array(value)) }
}

/** Integers become numbers, because none of ours is too large. Blobs become ArrayBuffer. */
export function fromDatabase({ type, value, base64 = '' }: TypedValue): null | string | number | ArrayBuffer {
  switch (type) {
    case 'text':
      return value as string
    case 'integer':
    case 'float':
      return Number(value)
    case 'blob':
      return (decodeBase64(addPadding(base64)) ?? new Uint8Array()).buffer
    default:
      return null
  }
}

/** The server leaves the padding out. */
const addPadding = (base64: string): string => base64 + '='.repeat((4 - (base64.length % 4)) % 4)
