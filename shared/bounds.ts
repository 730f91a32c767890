// Limits for the text of a record or an event, and the code that cuts the rest.

const encoder = new TextEncoder()

/** UTF-8 bytes of all texts of a record together. */
export const TEXT_BYTES = 256 * 1024
/** Bytes of the same record as JSON, in which a control character takes six. It must fit into a frame of the link. */
const JSON_BYTES = 512 * 1024
/** UTF-8 bytes of the name of a person or a group. */
export const NAME_BYTES = 1024
/** UTF-8 bytes of the description of a group. */
export const TOPIC_BYTES = 64 * 1024
/** Of a list that a sender made: contacts, people who are mentioned. The largest groups have as many members. */
export const LIST_ITEMS = 1024

export interface ByteLimits {
  text: number
  json: number
}

export interface Bounded<Value> {
  value: Value
  truncated: boolean
}

/**
 * The value with its longest texts and lists cut so that the whole fits into `limits`; the same value if it fits already.
 * Short fields stay whole. Texts end at a code point.
 */
export function bounded<Value>(
  value: Value,
  limits: ByteLimits = { text: TEXT_BYTES, json: JSON_BYTES },
): Bounded<Value> {
  // The usual case needs no look at the characters: a UTF-16 unit takes at most 3 bytes, and the runtime counts them fastest as JSON.
  if (JSON.stringify(value).length * 3 <= Math.min(limits.text, limits.json))
    return { value, truncated: false }
  const cutter = new Cutter(limits)
  const kept = cutter.keep(value) as Value
  return cutter.truncated ? { value: kept, truncated: true } : { value, truncated: false }
}

/** The beginning of a text, of at most so many UTF-8 bytes. The runtime counts them, because a loop over the characters takes 20 times as long. */
export function boundedText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  const { read } = encoder.encodeInto(text.slice(0, bytes), new Uint8Array(bytes))
  return read < text.length ? text.slice(0, read) : text
}

export const boundedName = (name: string): string => boundedText(name, NAME_BYTES)

/** UTF-16 units, and a fixed number for each other value; stops counting above `most`. */
function size(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let total = 2
  const list = Array.isArray(value)
  for (const key in value) {
    total += (list ? 1 : key.length + 4) + size((value as Record<string, unknown>)[key], most - total)
    if (total > most) break
  }
  return total
}

/** In UTF-16 units. The characters of a shorter text are counted sooner than the runtime is called. */
const SHORT = 128

class Cutter {
  readonly #left: ByteLimits
  truncated = false

  constructor(limits: ByteLimits) {
    this.#left = { ...limits }
  }

  keep(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return this.#list(value)
    if (typeof value === 'object' && value !== null) return this.#object(value as Record<string, unknown>)
    this.#left.json -= 24
    return value
  }

  text(text: string): string {
    if (text.length < SHORT) return this.#textUpToLimit(text)
    return this.#textCountedNatively(text) ?? this.#textUpToLimit(text)
  }

  /** Undefined if its JSON does not fit, which has to be found out character by character. */
  #textCountedNatively(text: string): string | undefined {
    const kept = boundedText(text, this.#left.text)
    const json = this.#left.json - utf8Length(JSON.stringify(kept)) - 1
    if (json < 0) return undefined
    this.#left.json = json
    this.#left.text -= utf8Length(kept)
    if (kept !== text) this.truncated = true
    return kept
  }

  #textUpToLimit(text: string): string {
    let { text: bytesLeft, json: jsonLeft } = this.#left
    jsonLeft -= 3
    let at = 0
    while (at < text.length) {
      const point = text.codePointAt(at) as number
      const bytes = utf8Bytes(point)
      const json = jsonBytes(point, bytes)
      if (bytes > bytesLeft || json > jsonLeft) break
      bytesLeft -= bytes
      jsonLeft -= json
      at += point > 0xffff ? 2 : 1
    }
    this.#left.text = bytesLeft
    this.#left.json = jsonLeft
    if (at === text.length) return text
    this.truncated = true
    return text.slice(0, at)
  }

  #list(list: unknown[]): unknown[] {
    const kept: unknown[] = []
    for (const item of list) {
      if (this.#left.json <= 0 || this.#left.text <= 0) {
        this.truncated = true
        break
      }
      kept.push(this.keep(item))
    }
    return kept
  }

  /** Short fields come first: ids and flags do not make a record large. */
  #object(object: Record<string, unknown>): Record<string, unknown> {
    const most = this.#left.json
    const fields = Object.entries(object).map(([key, value]) => ({ key, value, size: size(value, most) }))
    const kept: Record<string, unknown> = { ...object }
    for (const { key, value } of fields.sort((one, other) => one.size - other.size)) {
      this.#left.json -= key.length + 4
      kept[key] = this.keep(value)
    }
    return kept
  }
}

/** As the runtime counts it. */
const utf8Length = (text: string): number => encoder.encode(text).length

function utf8Bytes(point: number): number {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point > 0xffff ? 4 : 3
}

function jsonBytes(point: number, bytes: number): number {
  if (point < 0x20) return 6
  if (point === 0x22 || point === 0x5c) return 2
  return point >= 0xd800 && point <= 0xdfff ? 6 : bytes
}
