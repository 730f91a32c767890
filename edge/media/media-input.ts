// Reads the bytes of a request's media input: a data URI, base64, or a URL that the destination rules allow.

import { withDeadline } from '@msgnet/shared/deadline.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import type { HeldBytes } from '../limits/held-bytes.ts'
import { decodeBase64 } from '../runtime/base64.ts'
import { concatBytes } from '../runtime/bytes.ts'
import type { LongTexts } from '../runtime/long-texts.ts'
import type { Env } from '../settings/env.ts'
import { decodeInPlace } from './decode-in-place.ts'
import {
  checkFileUrl,
  createSizeFault,
  createUnavailableFault,
  FETCH_TIMEOUT,
  type FetchedFile,
  type FetchRules,
  fetchFile,
} from './fetch-file.ts'
import { FileContent } from './file-content.ts'
import { type FileLabel, readNameOption } from './file-name.ts'
import { readMediaType } from './file-types.ts'
import { readFirstBytes } from './image-type.ts'

const DATA_HEAD_CHARACTERS = 1024

export interface MediaInputRules extends FetchRules {
  /** The fault for a text that is neither a URL nor base64. */
  invalid: FaultName
  /** The texts of the request that were too long to be parsed with the rest of it. */
  longTexts?: LongTexts | undefined
}

interface DecodedInput extends FileLabel {
  bytes: Uint8Array<ArrayBuffer>
}

/** Reads all bytes; those that are fetched are counted. Throws a Fault if the input is wrong, before a host has got any request. */
export async function readMediaInput(
  env: Env,
  input: string,
  rules: MediaInputRules,
  heldBytes: HeldBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  return readWholeFile(await openMediaInput(env, input, rules), rules, heldBytes)
}

/** Reads all bytes of an opened file. */
export async function readWholeFile(
  { content, closeInput }: Pick<FetchedFile, 'content' | 'closeInput'>,
  rules: Pick<FetchRules, 'field'>,
  heldBytes: HeldBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const body = content.takeBody()
    return body instanceof Uint8Array ? body : await readAll(body, rules, heldBytes)
  } finally {
    closeInput()
  }
}

/** The same as a stream, which breaks if it grows over its limit. `closeInput` is called if the rest will not be read. */
export async function openMediaInput(env: Env, input: string, rules: MediaInputRules): Promise<FetchedFile> {
  if (isUrl(input)) return fetchFile(env, input, rules)
  const own = rules.longTexts?.removeFile(input)
  const { bytes, ...label } = own ? { bytes: own, ...noLabel } : await decodeInput(env, input, rules)
  const content = new FileContent(bytes)
  const first = await content.peekBody(readFirstBytes)
  // Bytes from the request itself need no cleanup.
  return { ...label, content, first, closeInput: () => undefined }
}

/** Throws the Fault of a URL that is not allowed or of text that is not base64. Does not check the file's content or size. */
export async function validateMediaInput(env: Env, input: string, rules: MediaInputRules): Promise<void> {
  if (isUrl(input)) checkFileUrl(env, input, rules)
  else if (!rules.longTexts?.hasFile(input))
    await decodeInput(env, input, { ...rules, maxBytes: Number.POSITIVE_INFINITY })
}

const noLabel: FileLabel = { mimetype: '', fileName: '' }

const isUrl = (input: string): boolean => /^(?!data:)[a-z][a-z0-9+.-]*:/i.test(input)

async function decodeInput(env: Env, input: string, rules: MediaInputRules): Promise<DecodedInput> {
  const long = rules.longTexts?.removeText(input)
  const head = long
    ? decodeAscii(long.subarray(0, DATA_HEAD_CHARACTERS))
    : input.slice(0, DATA_HEAD_CHARACTERS)
  // So long a URL names no file: its fault is the response.
  if (long && isUrl(head)) checkFileUrl(env, decodeAscii(long), rules)
  const { start, ...label } = readHead(head, rules)
  const base64 = long ? long.subarray(start) : input.slice(start)
  const bytes = await decodeBytes(base64, rules)
  return { bytes, ...label }
}

const decodeAscii = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

/** Reads the head of a data URI: what it says of its file, and where its bytes begin. */
function readHead(head: string, { invalid, field }: MediaInputRules): FileLabel & { start: number } {
  if (!/^data:/i.test(head)) return { mimetype: '', fileName: '', start: 0 }
  const comma = head.indexOf(',')
  // A slash may be escaped, as anywhere in JSON.
  const declaration = head.slice('data:'.length, Math.max(0, comma)).replaceAll('\\/', '/')
  const [mimetype = '', ...options] = declaration.split(';')
  if (comma < 0 || options.at(-1)?.trim().toLowerCase() !== 'base64')
    throw new Fault(invalid, `${field} must be in base64 if it is a data URI.`)
  // With one to three lost characters before it, the length of the rest would not fit.
  const [blanks = ''] = /^ {0,3}/.exec(head.slice(comma + 1)) ?? []
  const start = comma + 1 + blanks.length
  return { mimetype: readMediaType(mimetype), fileName: readNameOption(options), start }
}

async function decodeBytes(
  base64: string | Uint8Array<ArrayBuffer>,
  rules: MediaInputRules,
): Promise<Uint8Array<ArrayBuffer>> {
  const { field, invalid, maxBytes } = rules
  // Checked by length before it is decoded; padding, line breaks and escapes add a little.
  if (base64.length > (maxBytes / 3) * 4 * 1.1 + 8) throw createSizeFault(rules)
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : await decodeInPlace(base64)
  if (!bytes || bytes.length === 0)
    throw new Fault(invalid, `${field} must be a URL, a data URI or valid base64, without blanks.`)
  if (bytes.length > maxBytes) throw createSizeFault(rules)
  return bytes
}

/** Throws if the server stops before the end, and reads nothing after that. */
async function readAll(
  body: ReadableStream<Uint8Array>,
  { field }: Pick<FetchRules, 'field'>,
  heldBytes: HeldBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  const readChunks = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      heldBytes.reserveBytes(next.value.length)
      chunks.push(next.value)
    }
  }
  try {
    await withDeadline(readChunks(), FETCH_TIMEOUT, () => {
      throw createUnavailableFault(field, 'it took too long')
    })
    return concatBytes(chunks)
  } catch (error) {
    // Else the rest would arrive for a request that has ended, and count as memory of its owner.
    void reader.cancel().catch(() => undefined)
    throw error instanceof Fault ? error : createUnavailableFault(field, 'the connection was lost')
  }
}
