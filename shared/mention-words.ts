// People whom a text mentions: in it they are `@` and the digits of a number or a LID.

import { extractPhone, isLid } from './jid.ts'

/** Blanks and signs may be between the digits, as people write numbers. */
const WRITTEN = /@\+?(?:[ .\-()[\]]*\d){5,20}/g
const DIGIT = /\d/

const ALL_WORD = '@all'
const ALL = /@all(?![\p{L}\p{N}_])/iu

/** The digits of a person's id: of a number or of a LID; empty for any other id. */
export const readDigits = (id: string): string => (isLid(id) ? id.slice(0, -'@lid'.length) : extractPhone(id))

/** Replaces each mention whose digits are in `names`, with the word for them; their longest beginning counts. */
export function replaceMentions(text: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0 || !text.includes('@')) return text
  return text.replace(WRITTEN, (written: string, at: number) => {
    const after = text[at + written.length] ?? ''
    for (let end = written.length; end > 1; end -= 1) {
      if (!DIGIT.test(written[end - 1] ?? '') || DIGIT.test(written[end] ?? after)) continue
      const word = names.get(written.slice(0, end).replace(/\D/g, ''))
      if (word !== undefined) return `@${word}${written.slice(end)}`
    }
    return written
  })
}

/** The text with `@all` in it, by which phones show that all members of a group are mentioned. */
export const addAllWord = (text: string): string =>
  ALL.test(text) ? text : [text, ALL_WORD].filter(Boolean).join(' ')
