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

export const createMinMeasure = (what: string, ours: number, against: number, min: number): Measure => {
  const ratio = ours / against
  return { what, ours, against, ratio, reach: `≥ ${min}`, reached: ratio >= min }
}

export const createMaxMeasure = (what: string, ours: number, max: number): Measure => {
  return { what, ours, against: max, ratio: ours / max, reach: `≤ ${max}`, reached: ours <= max }
}

export const createMaxRatioMeasure = (what: string, ours: number, against: number, max: number): Measure => {
  const ratio = ours / against
  return { what, ours, against, ratio, reach: `≤ ${max}`, reached: ratio <= max }
}
