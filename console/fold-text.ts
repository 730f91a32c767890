// Compares texts as people search for them.

/** Accents and case do not count. */
export const foldText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether every typed word is in the text. Digits are found in a number however it is written. */
export function hasWords(text: string, typed: string): boolean {
  const folded = foldText(text)
  const bare = folded.replace(/[\s-]/g, '')
  return foldText(typed)
    .split(/\s+/)
    .every((word) => folded.includes(word) || (/^\+?\d+$/.test(word) && bare.includes(word)))
}
