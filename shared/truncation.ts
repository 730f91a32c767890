// Limits for the text of a record or an event, and the code that cuts the rest.

const encoder = new TextEncoder()

/** UTF-8 bytes of all texts of a record together. */
export const MAX_TEXT_BYTES = 256 * 1024
/** Bytes of the same record as JSON, in which a control character takes six. It must fit into a frame of the link. */
const MAX_JSON_BYTES = 512 * 1024
/** UTF-8 bytes of the name of a person or a group. */
export const MAX_NAME_BYTES = 1024
/** UTF-8 bytes of the description of a group. */
export const MAX_TOPIC_BYTES = 64 * 1024
/** Of a list that a sender made: contacts, mentioned people. The largest groups have as many members. */
export const MAX_LIST_ITEMS = 1024

export interface ByteLimits {
  text: number
  json: number
}

export interface Truncated<Value> {
  value: Value
  truncated: boolean
}

/**
 * The value with its longest texts and lists cut so that the whole fits into `limits`; the same value if it fits already.
 * Short fields stay whole. Texts end at a code point.
 */
export function truncateToLimits<Value>(
  value: Value,
  limits: ByteLimits = { text: MAX_TEXT_BYTES, json: MAX_JSON_BYTES },
): Truncated<Value> {
  // The usual case needs no look at the characters: a UTF-16 unit takes at most 3 bytes, and the runtime counts them fastest as JSON.
  if (JSON.stringify(value).length * 3 <= Math.min(limits.text, limits.json))
    return { value, truncated: false }
  const cutter = new Truncator(limits)
  const result = cutter.truncate(value) as Value
  return cutter.truncated ? { value: result, truncated: true } : { value, truncated: false }
}

/** The beginning of a text, of at most so many UTF-8 bytes. The runtime counts them, because a loop over the characters takes 20 times as long. */
export function truncateText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  const { read } = encoder.encodeInto(text.slice(0, bytes), new Uint8Array(bytes))
  return read < text.length ? text.slice(0, read) : text
}

/** Without NULs, at which a database ends what it reads. */
export const removeNuls = (text: string): string => text.replaceAll('\0', '')

export const truncateName = (name: string): string => truncateText(removeNuls(name), MAX_NAME_BYTES)

/** UTF-16 units, and a fixed number for each other value; stops counting above `max`. */
function estimateSize(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let total = 2
  const list = Array.isArray(value)
  for (const key in value) {
    total += (list ? 1 : key.length + 4) + estimateSize((value as Record<string, unknown>)[key], max - total)
    if (total > max) break
  }
  return total
}

/** In UTF-16 units. The characters of a shorter text are counted sooner than the runtime is called. */
const SHORT_TEXT_LENGTH = 128

class Truncator {
  readonly #left: ByteLimits
  truncated = false

  constructor(limits: ByteLimits) {
    this.#left = { ...limits }
  }

  truncate(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return this.#list(value)
    if (typeof value === 'object' && value !== null) return this.#object(value as Record<string, unknown>)
    this.#left.json -= 24
    return value
  }

  text(text: string): string {
    if (text.length < SHORT_TEXT_LENGTH) return this.#textUpToLimit(text)
    return this.#textCountedNatively(text) ?? this.#textUpToLimit(text)
  }

  /** Undefined if its JSON does not fit, which has to be found out character by character. */
  #textCountedNatively(text: string): string | undefined {
    const result = truncateText(text, this.#left.text)
    const json = this.#left.json - countUtf8Bytes(JSON.stringify(result)) - 1
    if (json < 0) return undefined
    this.#left.json = json
    this.#left.text -= countUtf8Bytes(result)
    if (result !== text) this.truncated = true
    return result
  }

  #textUpToLimit(text: string): string {
    let { text: bytesLeft, json: jsonLeft } = this.#left
    jsonLeft -= 3
    let at = 0
    while (at < text.length) {
      const point = text.codePointAt(at) as number
      const bytes = countCodePointBytes(point)
      const json = countCodePointJsonBytes(point, bytes)
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
    const result: unknown[] = []
    for (const item of list) {
      if (this.#left.json <= 0 || this.#left.text <= 0) {
        this.truncated = true
        break
      }
      result.push(this.truncate(item))
    }
    return result
  }

  /** Short fields come first: ids and flags do not make a record large. */
  #object(object: Record<string, unknown>): Record<string, unknown> {
    const max = this.#left.json
    const fields = Object.entries(object).map(([key, value]) => ({
      key,
      value,
      size: estimateSize(value, max),
    }))
    const result: Record<string, unknown> = { ...object }
    for (const { key, value } of fields.sort((one, other) => one.size - other.size)) {
      this.#left.json -= key.length + 4
      result[key] = this.truncate(value)
    }
    return result
  }
}

/** As the runtime counts it. */
const countUtf8Bytes = (text: string): number => encoder.encode(text).length

function countCodePointBytes(point: number): number {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point > 0xffff ? 4 : 3
}

function countCodePointJsonBytes(point: number, bytes: number): number {
  if (point < 0x20) return 6
  if (point === 0x22 || point === 0x5c) return 2
  return point >= 0xd800 && point <= 0xdfff ? 6 : bytes
}
