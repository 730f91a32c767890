// Bounds the shape of a JSON body before it is parsed: what is small as text can be deep or large as values.

import { Fault } from '@msgnet/shared/fault-table.ts'

/** More levels than any body of the API has, and too few to exhaust the stack. */
const MAX_DEPTH = 32
/**
 * Several times as many as any body of the API has. A megabyte of empty lists would take a twentieth of a second, in which nobody else
 * is served, and thirty times its bytes.
 */
const MAX_VALUES = 20_000

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Throws `invalid_json`. Whether it is JSON at all is not looked at. */
export function rejectLargeShape(json: Uint8Array): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = findTextEnd(json, at)
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      values++
      if (++depth > MAX_DEPTH) throw createShapeFault(`nested deeper than ${MAX_DEPTH} levels`)
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--
    else if (byte === COMMA) values++
    if (values > MAX_VALUES) throw createShapeFault(`of more than ${MAX_VALUES} values`)
  }
}

const createShapeFault = (what: string) => new Fault('invalid_json', `The body is ${what}.`)

/** The place of the quote that ends the text. No byte of a character in UTF-8 is one of ASCII. */
function findTextEnd(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}
