// How the space for stored files is shared: while there is too little, no instance that has at most its fair share loses a file.

/** How much each instance has to give back so that all of them have `maxBytes` together: those that have the most go down to one level. */
export function computeExcess(usage: ReadonlyMap<string, number>, maxBytes: number): Map<string, number> {
  let [rest, owners] = [maxBytes, usage.size]
  let level = Number.POSITIVE_INFINITY
  for (const [, bytes] of [...usage].sort(([, one], [, other]) => one - other)) {
    level = rest / owners
    if (bytes > level) break
    // What a small one leaves of its share is for the others.
    rest -= bytes
    owners -= 1
    level = Number.POSITIVE_INFINITY
  }
  const excess = [...usage].map(([instance, bytes]) => [instance, Math.max(0, bytes - level)] as const)
  return new Map(excess.filter(([, bytes]) => bytes > 0))
}

/**
 * Whether an instance may add to a space that all share: as much as is still free, so one alone fills half, two a third each, and the
 * next always finds room (dynamic thresholds, as in the buffers of switches).
 */
export const mayAdd = (ownBytes: number, totalBytes: number, maxBytes: number): boolean =>
  ownBytes < maxBytes - totalBytes
