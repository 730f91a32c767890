// Chance that can be repeated: the same seed makes the same run.

export type Dice = ReturnType<typeof createDice>

/** Mulberry32: 32 bits of state are plenty for choosing whom to kill. */
export function createDice(seed: number) {
  let state = seed >>> 0
  const nextRandom = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** A whole number from 0 to below `sides`. */
  const rollDie = (sides: number) => Math.floor(nextRandom() * sides)
  return { rollDie, pickItem: <T>(from: readonly T[]) => from[rollDie(from.length)] as T }
}
