// The type of a document, and the ending of its name, where nobody has said what it is.

import { chooseServedType } from './file-headers.ts'
import type { FileLabel } from './file-name.ts'
import { findImageType } from './image-type.ts'

const UNKNOWN_TYPE = 'application/octet-stream'
const ZIP = 'application/zip'
const MP4 = 'video/mp4'
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

/** Files that begin as those of another type: only their names tell. Texts and tables of office programs are archives, and many sounds have the brand of videos. */
const namedKinds: Record<string, RegExp> = {
  [ZIP]: /^application\/(?:vnd\.openxmlformats|vnd\.oasis|vnd\.android|epub\+zip)/,
  [MP4]: /^(?:audio|video)\//,
}

/** By ending; the first ending of a type is the one that a name gets. */
const typesByEnding: Record<string, string> = {
  pdf: 'application/pdf',
  zip: ZIP,
  docx: `${OFFICE}.wordprocessingml.document`,
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  pptx: `${OFFICE}.presentationml.presentation`,
  odt: `${OPEN_DOCUMENT}.text`,
  ods: `${OPEN_DOCUMENT}.spreadsheet`,
  odp: `${OPEN_DOCUMENT}.presentation`,
  epub: 'application/epub+zip',
  apk: 'application/vnd.android.package-archive',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  rtf: 'application/rtf',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  htm: 'text/html',
  md: 'text/markdown',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  json: 'application/json',
  xml: 'application/xml',
  gz: 'application/gzip',
  '7z': 'application/x-7z-compressed',
  rar: 'application/vnd.rar',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  heic: 'image/heic',
  avif: 'image/avif',
  mp4: MP4,
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
}

/** First bytes as Latin-1. */
const typesByBeginning: [beginning: string, mimetype: string][] = [
  ['%PDF-', 'application/pdf'],
  ['PK\u0003\u0004', ZIP],
  ['{\\rtf', 'application/rtf'],
  ['\u001f\u008b', 'application/gzip'],
  ["7z\u00bc\u00af'\u001c", 'application/x-7z-compressed'],
  ['Rar!\u001a\u0007', 'application/vnd.rar'],
  ['OggS', 'audio/ogg'],
  ['fLaC', 'audio/flac'],
  ['ID3', 'audio/mpeg'],
]

/** Files of the MP4 family name their brand after the word `ftyp`. */
const typesByBrand: [brand: RegExp, mimetype: string][] = [
  [/^(?:iso|mp4|avc|dash|M4V)/, MP4],
  [/^M4[AB]/, 'audio/mp4'],
  [/^qt/, 'video/quicktime'],
  [/^he[iv]/, 'image/heic'],
  [/^avi[fs]/, 'image/avif'],
]

/** The type of a `content-type` or a data URI. Empty if it says nothing: servers use the unknown type for all that they do not know. */
export function readMediaType(text: string): string {
  const mimetype = text.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[\w.+-]+\/[\w.+-]+$/.test(mimetype) && mimetype !== UNKNOWN_TYPE ? mimetype : ''
}

/** What a document is sent as: what the request names, else its source, its first bytes, the ending of its name. */
export function labelDocument(requested: FileLabel, source: FileLabel, first: Uint8Array): FileLabel {
  const fileName = requested.fileName || source.fileName
  const mimetype = requested.mimetype || source.mimetype || findDocumentType(first, fileName) || UNKNOWN_TYPE
  return { mimetype, fileName: fileName || `file${findEnding(mimetype)}` }
}

function findDocumentType(first: Uint8Array, fileName: string): string {
  const [, ending = ''] = /\.([a-z0-9]+)$/i.exec(fileName) ?? []
  const named = typesByEnding[ending.toLowerCase()] ?? ''
  const found = findTypeByBeginning(first)
  return namedKinds[found]?.test(named) ? named : found || named
}

function findTypeByBeginning(first: Uint8Array): string {
  const beginning = String.fromCharCode(...first)
  if (beginning.slice(4, 8) === 'ftyp') return findTypeByBrand(beginning.slice(8))
  if (beginning.startsWith('RIFF') && beginning.endsWith('WAVE')) return 'audio/wav'
  const [, mimetype = findImageType(first) ?? ''] =
    typesByBeginning.find(([start]) => beginning.startsWith(start)) ?? []
  return mimetype
}

function findTypeByBrand(name: string): string {
  const [, mimetype = ''] = typesByBrand.find(([brand]) => brand.test(name)) ?? []
  return mimetype
}

/** Of a file without a name, as pictures and sounds are. Its sender chose the type, so only one that is served has its ending. */
export const nameByType = (id: string, mimetype: string): string =>
  id + findEnding(chooseServedType(mimetype))

function findEnding(mimetype: string): string {
  const plain = mimetype.split(';', 1)[0]
  const [ending] = Object.entries(typesByEnding).find(([, type]) => type === plain) ?? []
  return ending ? `.${ending}` : ''
}
