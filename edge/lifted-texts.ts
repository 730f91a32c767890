// Takes a long text, such as a file in base64, out of the bytes of a JSON body, so that no copy of it is made when the rest is parsed.

import { concat, utf8 } from './bytes.ts'

/** A shorter text stays where it is. */
const LONG = 64 * 1024
/** A body with more texts than this before the long one is no request of ours, and is parsed as it is. */
const TEXTS_LOOKED_AT = 10_000

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The texts that were taken out, each once. */
export class LiftedTexts {
  readonly #texts = new Map<string, Uint8Array<ArrayBuffer>>()

  add(text: Uint8Array<ArrayBuffer>): string {
    const name = crypto.randomUUID()
    this.#texts.set(name, text)
    return name
  }

  /** The bytes between the quotes, as they were sent; undefined if the name is no name of one. */
  take(name: string): Uint8Array<ArrayBuffer> | undefined {
    const text = this.#texts.get(name)
    this.#texts.delete(name)
    return text
  }
}

/** Returns the body with a short name in place of each long text of this field; the same body if there is none. */
export function liftTexts(
  raw: Uint8Array<ArrayBuffer>,
  field: string,
  lifted: LiftedTexts,
): Uint8Array<ArrayBuffer> {
  if (raw.length <= LONG) return raw
  const name = utf8(`"${field}"`)
  const parts: Uint8Array[] = []
  let copied = 0
  let isNamed = false
  let start = raw.indexOf(QUOTE)
  for (let looked = 0; start >= 0 && looked < TEXTS_LOOKED_AT; looked++) {
    const end = findEnd(raw, start)
    if (end < 0) return raw
    if (isNamed && end - start > LONG && !hasControl(raw, start, end)) {
      parts.push(raw.subarray(copied, start + 1), utf8(lifted.add(raw.subarray(start + 1, end))))
      copied = end
    }
    const next = raw.indexOf(QUOTE, end + 1)
    isNamed = isSame(raw.subarray(start, end + 1), name) && isColon(raw.subarray(end + 1, next))
    start = next
  }
  if (parts.length === 0) return raw
  return concat([...parts, raw.subarray(copied)])
}

/** The place of the quote that ends a text; less than 0 if none does. */
function findEnd(raw: Uint8Array, start: number): number {
  let end = raw.indexOf(QUOTE, start + 1)
  while (end >= 0 && isEscaped(raw, end)) end = raw.indexOf(QUOTE, end + 1)
  return end
}

function isEscaped(raw: Uint8Array, place: number): boolean {
  let before = place
  while (raw[before - 1] === BACKSLASH) before--
  return (place - before) % 2 === 1
}

/** Characters that JSON wants escaped and base64 would pass over. */
const CONTROLS = [0x09, 0x0a, 0x0c, 0x0d]

function hasControl(raw: Uint8Array, start: number, end: number): boolean {
  const text = raw.subarray(start, end)
  return CONTROLS.some((control) => text.includes(control))
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, place) => byte === other[place])

/** Between the name of a field and its value. */
const isColon = (between: Uint8Array): boolean =>
  between.length < 100 && /^\s*:\s*$/.test(String.fromCharCode(...between))
