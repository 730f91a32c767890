// How the types of requests and responses are spelled in PHP: natively, and for PHPStan.

import type { ValueType } from './value-types.ts'

/** `enumName`: what stands in place of a text with few values. */
export function toNativeType(type: ValueType, enumName?: string): string {
  switch (type.kind) {
    case 'text':
      return enumName ?? 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'any':
      return 'mixed'
    case 'list':
    case 'record':
    case 'map':
      return 'array'
    case 'nullable': {
      const spelled = toNativeType(type.of, enumName)
      return spelled.includes('|') ? `${spelled}|null` : `?${spelled}`
    }
    case 'choice':
      return [...new Set(type.among.map((each) => toNativeType(each)))].sort().join('|')
  }
}

export function toDocType(type: ValueType, enumName?: string): string {
  switch (type.kind) {
    case 'text':
      return enumName ?? (type.values ? type.values.map((value) => `'${value}'`).join('|') : 'string')
    case 'list':
      return `list<${toDocType(type.of, enumName)}>`
    case 'map':
      return `array<string, ${toDocType(type.of, enumName)}>`
    case 'record':
      return type.name
    case 'nullable':
      return `${toDocType(type.of, enumName)}|null`
    case 'choice':
      return type.among.map((each) => toDocType(each, enumName)).join('|')
    default:
      return toNativeType(type)
  }
}
