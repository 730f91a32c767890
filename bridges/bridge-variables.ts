// Reads the variables of a bridge. A wrong one stops its start with one sentence.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'

/** A variable without which the program cannot work. */
export function readVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new OperatorError(`${name} is not set`)
  return value
}

export function readChoice<Choice extends string>(
  name: string,
  [preset, ...others]: [Choice, ...Choice[]],
): Choice {
  const value = process.env[name] || preset
  const choice = [preset, ...others].find((one) => one === value)
  if (choice) return choice
  throw new OperatorError(`${name} must be one of ${[preset, ...others].join(', ')}`)
}

export function readNumber(name: string, preset?: number): number {
  const text = String(preset === undefined ? readVariable(name) : process.env[name] || preset)
  const value = Number(text)
  // Blanks are a 0 to `Number`.
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new OperatorError(`${name} must be a number`)
}

/** `expected` completes the sentence: "must be a URL". */
export function readText(name: string, preset: string, form: RegExp, expected: string): string {
  const value = process.env[name] || preset
  if (form.test(value)) return value
  throw new OperatorError(`${name} ${expected}`)
}
