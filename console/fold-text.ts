// Compares texts as people search for them.

/** Accents and case do not count. */
export const foldText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether every typed word is in the text. */
export const hasWords = (text: string, typed: string): boolean =>
  foldText(typed)
    .split(/\s+/)
    .every((word) => foldText(text).includes(word))
