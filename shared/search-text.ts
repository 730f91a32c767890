// How a search reads what people type: accents, case and the spelling of a number do not count.

/** Letters that Unicode does not take apart into a letter and its mark. */
const LETTERS: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' }

/** Comparable without accents and case. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[øłđıßæœ]/g, (letter) => LETTERS[letter] ?? letter)

const PHONE_SIGNS = /^[+\d().\-/]*\d[+\d().\-/]*$/

export const isPartOfNumber = (word: string): boolean => PHONE_SIGNS.test(word)

/** Groups of folded words. Those that follow each other and may be parts of one number, with spaces in it, are one group. */
export function splitSearch(search: string): string[][] {
  const groups: string[][] = []
  for (const word of foldText(search).split(/\s+/).filter(Boolean)) {
    const previous = groups.at(-1)
    const continues = isPartOfNumber(word) && isPartOfNumber(previous?.at(-1) ?? '') && !word.startsWith('+')
    if (continues) previous?.push(word)
    else groups.push([word])
  }
  return groups
}

/** Mobile numbers of Brazil have a 9 after the area code that older accounts do not have. */
const WITH_NINE = /^(55)?(\d\d)9(\d{8})$/
const WITHOUT_NINE = /^(55)?(\d\d)([6-9]\d{7})$/

/** The digits that a stored number may have, without the zeros that are dialled before an area or a country. */
export function listSpellings(typed: string): string[] {
  const digits = typed.replace(/\(0\)|\D/g, '').replace(/^0+(?=\d)/, '')
  if (WITH_NINE.test(digits)) return [digits, digits.replace(WITH_NINE, '$1$2$3')]
  if (WITHOUT_NINE.test(digits)) return [digits, digits.replace(WITHOUT_NINE, '$1$29$3')]
  return [digits]
}
