// Whole numbers in the words of the network. What is no number must not become NaN, which is null or a word by the time that a caller reads it.

const WHOLE = /^-?\d{1,15}$/

/** The code of a refusal whose own is no number: it is a refusal all the same. */
const UNREADABLE_CODE = 500

export const parseCode = (code: string): number => (WHOLE.test(code) ? Number(code) : UNREADABLE_CODE)

/** 0 where the network does not say it. */
export function parseCount(count: unknown): number {
  const text = String(count ?? '')
  return WHOLE.test(text) ? Number(text) : 0
}
