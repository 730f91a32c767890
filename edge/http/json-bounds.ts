// Bounds the shape of a JSON body before it is parsed: what is small as text can be deep or large as values.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { toSearched } from '../runtime/bytes.ts'

/** More levels than any body of the API has, and too few to exhaust the stack. */
const MAX_DEPTH = 32
/**
 * Several times as many as any body of the API has. A megabyte of empty lists would take a twentieth of a second, in which nobody else
 * is served, and thirty times its bytes.
 */
const MAX_VALUES = 20_000

/** In bytes. In a smaller piece no search takes long. */
const LARGE = 32 * 1024

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Judges a body while it arrives, so that one of too many values is not in memory before it is refused. */
export class JsonShape {
  #depth = 0
  #values = 0
  #isInText = false
  /** The piece before ended in the middle of an escape. */
  #isEscaped = false

  /** Throws `invalid_json`. Whether it is JSON at all is not looked at. */
  addPiece(json: Uint8Array): void {
    if (json.length === 0) return
    const searched = json.length > LARGE ? toSearched(json) : json
    for (let at = this.#isInText ? this.#passText(searched, 0) : 0; at < json.length; at++) {
      const byte = json[at]
      if (byte === QUOTE) at = this.#passText(searched, at + 1) - 1
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
        this.#values++
        if (++this.#depth > MAX_DEPTH) throw createShapeFault(`nested deeper than ${MAX_DEPTH} levels`)
      } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) this.#depth--
      else if (byte === COMMA) this.#values++
      if (this.#values > MAX_VALUES) throw createShapeFault(`of more than ${MAX_VALUES} values`)
    }
  }

  /** The place after the text. No byte of a character in UTF-8 is one of ASCII. */
  #passText(json: Uint8Array, from: number): number {
    const start = this.#isEscaped ? from + 1 : from
    let end = json.indexOf(QUOTE, start)
    while (end >= 0 && isEscaped(json, start, end)) end = json.indexOf(QUOTE, end + 1)
    this.#isInText = end < 0
    this.#isEscaped = this.#isInText && isEscaped(json, start, json.length)
    return this.#isInText ? json.length : end + 1
  }
}

/** Whether an odd number of backslashes is before this place in a text. */
function isEscaped(json: Uint8Array, start: number, at: number): boolean {
  let before = at
  while (before > start && json[before - 1] === BACKSLASH) before--
  return (at - before) % 2 === 1
}

const createShapeFault = (what: string) => new Fault('invalid_json', `The body is ${what}.`)
