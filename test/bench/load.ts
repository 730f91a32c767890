// Work done again and again by so many at once, and how fast it went.

export interface Pace {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** Warms up for a fifth of the time, which is not counted. */
export async function measurePace(
  seconds: number,
  atOnce: number,
  work: (worker: number) => Promise<void>,
): Promise<Pace> {
  await runWorkers(seconds / 5, atOnce, work)
  const { took, elapsed } = await runWorkers(seconds, atOnce, work)
  return { perSecond: took.length / elapsed, ...computePercentiles(took) }
}

export function computePercentiles(took: number[]): { p50: number; p99: number } {
  const sorted = [...took].sort((a, b) => a - b)
  const pickPercentile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: pickPercentile(0.5), p99: pickPercentile(0.99) }
}

async function runWorkers(seconds: number, atOnce: number, work: (worker: number) => Promise<void>) {
  const began = performance.now()
  const took: number[] = []
  const runWorker = async (worker: number) => {
    while (performance.now() - began < seconds * 1000) {
      const start = performance.now()
      await work(worker)
      took.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, worker) => runWorker(worker)))
  return { took, elapsed: (performance.now() - began) / 1000 }
}

/** How long it takes until `count` reaches `expected`, in seconds. Throws after `maxSeconds`. */
export async function countSecondsUntil(
  count: () => number,
  expected: number,
  maxSeconds = 120,
): Promise<number> {
  const began = performance.now()
  while (count() < expected) {
    if (performance.now() - began > maxSeconds * 1000)
      throw new Error(`${count()} of ${expected} after ${maxSeconds} s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return (performance.now() - began) / 1000
}
