// A figure, and what it is held against.

export interface Measure {
  what: string
  ours: number
  against: number
  ratio: number
  /** The figure to reach; `at most` where less is better. */
  reach: string
  reached: boolean
}

export const atLeast = (what: string, ours: number, against: number, least: number): Measure => {
  const ratio = ours / against
  return { what, ours, against, ratio, reach: `≥ ${least}`, reached: ratio >= least }
}

export const atMost = (what: string, ours: number, most: number): Measure => {
  return { what, ours, against: most, ratio: ours / most, reach: `≤ ${most}`, reached: ours <= most }
}

export const atMostTimes = (what: string, ours: number, against: number, most: number): Measure => {
  const ratio = ours / against
  return { what, ours, against, ratio, reach: `≤ ${most}`, reached: ratio <= most }
}
