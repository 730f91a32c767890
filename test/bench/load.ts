// Work done again and again by so many at once, and how fast it went.

export interface Pace {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** Warms up for a fifth of the time, which is not counted. */
export async function pace(
  seconds: number,
  atOnce: number,
  work: (worker: number) => Promise<void>,
): Promise<Pace> {
  await during(seconds / 5, atOnce, work)
  const { took, elapsed } = await during(seconds, atOnce, work)
  return { perSecond: took.length / elapsed, ...percentiles(took) }
}

export function percentiles(took: number[]): { p50: number; p99: number } {
  const sorted = [...took].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

async function during(seconds: number, atOnce: number, work: (worker: number) => Promise<void>) {
  const began = performance.now()
  const took: number[] = []
  const one = async (worker: number) => {
    while (performance.now() - began < seconds * 1000) {
      const start = performance.now()
      await work(worker)
      took.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, worker) => one(worker)))
  return { took, elapsed: (performance.now() - began) / 1000 }
}

/** How long it takes until `count` reaches `wanted`, in seconds. */
export async function secondsUntil(count: () => number, wanted: number, most = 120): Promise<number> {
  const began = performance.now()
  while (count() < wanted) {
    if (performance.now() - began > most * 1000) throw new Error(`${count()} of ${wanted} after ${most} s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return (performance.now() - began) / 1000
}
