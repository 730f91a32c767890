// Query parameters of lists.

import { Fault, type FaultName } from '../../shared/faults.ts'

interface Range {
  min: number
  max?: number
  fault: FaultName
}

/** An integer in its range, undefined when it was not given. */
export function integerQuery(
  name: string,
  given: string | undefined,
  { min, max = Number.MAX_SAFE_INTEGER, fault }: Range,
): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (/^\d{1,16}$/.test(given) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new Fault(fault, `${name}: must be an integer ${range}`)
}

/** One of the known words, undefined when it was not given. */
export function wordQuery<Word extends string>(
  name: string,
  given: string | undefined,
  words: readonly Word[],
  fault: FaultName,
): Word | undefined {
  if (given === undefined) return undefined
  const found = words.find((word) => word === given)
  if (found) return found
  throw new Fault(fault, `${name}: must be one of ${words.join(', ')}`)
}
