// The name of a file that a request does not name: what its data URI, its server or its URL calls it.

import { cleanName } from './file-headers.ts'

/** What the source of a file says of it. Empty if it says nothing. */
export interface FileLabel {
  mimetype: string
  fileName: string
}

const ENCODED_PARAMETER = /(?:^|;)\s*filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)/i
const PLAIN_PARAMETER = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]+))/i

/** `urls`: those on the way to the file, the last one is its own. */
export function nameFetchedFile(disposition: string, urls: readonly string[]): string {
  const named = readDisposition(disposition)
  if (named) return named
  const names = urls.map(readLastPart)
  // A storage often redirects to a key: an address before it is then the one with a name.
  return names.findLast((name) => /.\.[a-z0-9]{1,10}$/i.test(name)) ?? names.at(-1) ?? ''
}

/** The name in a `content-disposition` (RFC 6266). */
function readDisposition(header: string): string {
  const [, charset = '', encoded = ''] = ENCODED_PARAMETER.exec(header) ?? []
  const [, quoted, token] = PLAIN_PARAMETER.exec(header) ?? []
  const name =
    decodeExtendedValue(charset, encoded) ??
    decodeHeader(quoted === undefined ? (token ?? '') : quoted.replace(/\\(.)/g, '$1'))
  return toFileName(name)
}

/** The `name` of a data URI. */
export function readNameOption(options: readonly string[]): string {
  for (const option of options) {
    const [, value] = /^\s*name=(.*)$/i.exec(option) ?? []
    if (value !== undefined) return toFileName(decodePercent(value.trim().replace(/^"(.*)"$/, '$1')))
  }
  return ''
}

function readLastPart(url: string): string {
  const path = URL.parse(url)?.pathname ?? ''
  return toFileName(decodePercent(path.slice(path.lastIndexOf('/') + 1)))
}

/** The name alone: what stands before a slash is a folder of somebody else. */
function toFileName(text: string): string {
  const name = cleanName(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1))
  return /^\.*$/.test(name) ? '' : name
}

/** RFC 8187. Undefined if it is not valid. */
function decodeExtendedValue(charset: string, encoded: string): string | undefined {
  if (!encoded) return undefined
  const isLatin1 = charset.toLowerCase() === 'iso-8859-1'
  try {
    return isLatin1
      ? encoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A header arrives as Latin-1, but many servers write it in UTF-8. */
export function decodeHeader(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text
  try {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return text
  }
}
