// Takes a long text, such as a file in base64, out of the bytes of a JSON body, so that no copy of it is made when the rest is parsed.

import { concatBytes, encodeUtf8, toSearched } from './bytes.ts'

/** A shorter text stays where it is. */
const MIN_LONG_BYTES = 64 * 1024
/** A body with more texts than this before the long one is no request of this API, and is parsed as it is. */
const MAX_TEXTS_SEARCHED = 10_000
/** A text with more quotes in it than this is no file, and its body is parsed as it is. */
const MAX_ESCAPED_QUOTES = 10_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d]

/** The texts that were taken out, each once. */
export class LongTexts {
  readonly #texts = new Map<string, Uint8Array<ArrayBuffer>>()
  readonly #files = new Map<string, ReadableStream<Uint8Array>>()

  get isEmpty(): boolean {
    return this.#texts.size === 0
  }

  addText(text: Uint8Array<ArrayBuffer>): string {
    const name = crypto.randomUUID()
    this.#texts.set(name, text)
    return name
  }

  /** The bytes between the quotes, as they were sent; undefined if the name is no name of one. */
  removeText(name: string): Uint8Array<ArrayBuffer> | undefined {
    const text = this.#texts.get(name)
    this.#texts.delete(name)
    return text
  }

  /** Of a file that the edge has, the bytes in place of their text. */
  addFile(body: ReadableStream<Uint8Array>): string {
    const name = crypto.randomUUID()
    this.#files.set(name, body)
    return name
  }

  hasFile(name: string): boolean {
    return this.#files.has(name)
  }

  removeFile(name: string): ReadableStream<Uint8Array> | undefined {
    const body = this.#files.get(name)
    this.#files.delete(name)
    return body
  }
}

/** The value of a field, or one of the texts in its list. */
type Place = 'value' | 'item'

/** Returns the body with a short name in place of each long text of these fields; the same body if there is none. */
export function extractLongTexts(
  raw: Uint8Array<ArrayBuffer>,
  fields: readonly string[],
  longTexts: LongTexts,
): Uint8Array<ArrayBuffer> {
  if (raw.length <= MIN_LONG_BYTES) return raw
  const names = fields.map((field) => encodeUtf8(`"${field}"`))
  const parts: Uint8Array[] = []
  let copied = 0
  let place: Place | undefined
  const searched = toSearched(raw)
  let start = searched.indexOf(QUOTE)
  for (let texts = 0; start >= 0 && texts < MAX_TEXTS_SEARCHED; texts++) {
    const end = findEnd(raw, searched, start)
    if (end < 0) return raw
    const bounds = place && findBounds(raw, start, end, place)
    if (bounds && end - start > MIN_LONG_BYTES && !hasControl(searched, start, end)) {
      const [from, to] = bounds
      parts.push(raw.subarray(copied, from), encodeUtf8(longTexts.addText(raw.subarray(from, to))))
      copied = to
    }
    const next = searched.indexOf(QUOTE, end + 1)
    const text = raw.subarray(start, end + 1)
    const isName = names.some((name) => isSame(text, name))
    place = findPlace(raw.subarray(end + 1, next), isName, place)
    start = next
  }
  if (parts.length === 0) return raw
  return concatBytes([...parts, raw.subarray(copied)])
}

/** Where the bytes of a file begin and end: in a list the other texts are not in curly brackets. */
function findBounds(raw: Uint8Array, start: number, end: number, place: Place): [number, number] | undefined {
  if (place === 'value') return [start + 1, end]
  const isFile = raw[start + 1] === OPENING_BRACE && raw[end - 1] === CLOSING_BRACE
  return isFile ? [start + 2, end - 1] : undefined
}

/** The place of the quote that ends a text; less than 0 if none does, or none is found soon. */
function findEnd(raw: Uint8Array, searched: Uint8Array, start: number): number {
  let end = searched.indexOf(QUOTE, start + 1)
  for (let escaped = 0; end >= 0 && isEscaped(raw, end); escaped++) {
    if (escaped === MAX_ESCAPED_QUOTES) return -1
    end = searched.indexOf(QUOTE, end + 1)
  }
  return end
}

function isEscaped(raw: Uint8Array, index: number): boolean {
  let before = index
  while (raw[before - 1] === BACKSLASH) before--
  return (index - before) % 2 === 1
}

/** Characters that JSON requires to be escaped and base64 would skip. */
const CONTROLS = [0x09, 0x0a, 0x0c, 0x0d]

function hasControl(searched: Uint8Array, start: number, end: number): boolean {
  const text = searched.subarray(start, end)
  return CONTROLS.some((control) => text.includes(control))
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** The place of the text after the separator. `isName`: the text before it has the name of a field; `before`: the place of that text. */
function findPlace(separator: Uint8Array, isName: boolean, before: Place | undefined): Place | undefined {
  if (separator.length >= 100) return undefined
  const characters = String.fromCharCode(...separator)
  if (isName && /^\s*:\s*$/.test(characters)) return 'value'
  const isInList = isName && /^\s*:\s*\[\s*$/.test(characters)
  return isInList || (before === 'item' && /^\s*,\s*$/.test(characters)) ? 'item' : undefined
}
