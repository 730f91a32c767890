// Makes texts comparable without accents and case, as people type them in a search.

/** Letters that Unicode does not take apart into a letter and its mark. */
const LETTERS: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' }

export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[øłđıßæœ]/g, (letter) => LETTERS[letter] ?? letter)
