// Takes a long text, such as a file in base64, out of the bytes of a JSON body, so that no copy of it is made when the rest is parsed.

import { concatBytes, encodeUtf8 } from './bytes.ts'

/** A shorter text stays where it is. */
const MIN_LONG_BYTES = 64 * 1024
/** A body with more texts than this before the long one is no request of this API, and is parsed as it is. */
const MAX_TEXTS_SEARCHED = 10_000

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The texts that were taken out, each once. */
export class LongTexts {
  readonly #texts = new Map<string, Uint8Array<ArrayBuffer>>()

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
}

/** Returns the body with a short name in place of each long text of this field; the same body if there is none. */
export function extractLongTexts(
  raw: Uint8Array<ArrayBuffer>,
  field: string,
  longTexts: LongTexts,
): Uint8Array<ArrayBuffer> {
  if (raw.length <= MIN_LONG_BYTES) return raw
  const name = encodeUtf8(`"${field}"`)
  const parts: Uint8Array[] = []
  let copied = 0
  let isNamed = false
  let start = raw.indexOf(QUOTE)
  for (let searched = 0; start >= 0 && searched < MAX_TEXTS_SEARCHED; searched++) {
    const end = findEnd(raw, start)
    if (end < 0) return raw
    if (isNamed && end - start > MIN_LONG_BYTES && !hasControl(raw, start, end)) {
      parts.push(raw.subarray(copied, start + 1), encodeUtf8(longTexts.addText(raw.subarray(start + 1, end))))
      copied = end
    }
    const next = raw.indexOf(QUOTE, end + 1)
    isNamed = isSame(raw.subarray(start, end + 1), name) && isColon(raw.subarray(end + 1, next))
    start = next
  }
  if (parts.length === 0) return raw
  return concatBytes([...parts, raw.subarray(copied)])
}

/** The place of the quote that ends a text; less than 0 if none does. */
function findEnd(raw: Uint8Array, start: number): number {
  let end = raw.indexOf(QUOTE, start + 1)
  while (end >= 0 && isEscaped(raw, end)) end = raw.indexOf(QUOTE, end + 1)
  return end
}

function isEscaped(raw: Uint8Array, index: number): boolean {
  let before = index
  while (raw[before - 1] === BACKSLASH) before--
  return (index - before) % 2 === 1
}

/** Characters that JSON requires to be escaped and base64 would skip. */
const CONTROLS = [0x09, 0x0a, 0x0c, 0x0d]

function hasControl(raw: Uint8Array, start: number, end: number): boolean {
  const text = raw.subarray(start, end)
  return CONTROLS.some((control) => text.includes(control))
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** Between the name of a field and its value. */
const isColon = (separator: Uint8Array): boolean =>
  separator.length < 100 && /^\s*:\s*$/.test(String.fromCharCode(...separator))
