// Commits that a host has at the same time, made as one: what several sessions change is often on the same pages, and a server
// takes one writer at a time; many that ask it at once keep each other waiting, at worst until nobody gets on.

/** Calls that one commit takes; what is beyond them waits for the next. */
const CALLS_A_COMMIT = 64

interface Call<Item> {
  items: Item[]
  resolve(): void
  reject(reason: unknown): void
}

/**
 * What arrives while `send` is at work, or before `gathered` is fulfilled, goes with its next call. Each call's items are kept or
 * refused for themselves: where one is refused, all of that commit are sent again one by one.
 */
export function makeGroupCommit<Item>(
  send: (items: Item[]) => Promise<void>,
  gathered?: () => Promise<void>,
): (items: Item[]) => Promise<void> {
  const waiting: Call<Item>[] = []
  let underway = false

  async function settle(calls: Call<Item>[]): Promise<void> {
    try {
      await send(calls.flatMap(({ items }) => items))
      for (const call of calls) call.resolve()
    } catch (thrown) {
      if (calls.length > 1 && wasRefused(thrown)) for (const call of calls) await settle([call])
      else for (const call of calls) call.reject(thrown)
    }
  }

  async function run(): Promise<void> {
    underway = true
    while (waiting.length > 0) {
      if (gathered) await gathered()
      await settle(waiting.splice(0, CALLS_A_COMMIT))
    }
    underway = false
  }

  return (items) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ items, resolve, reject })
    if (!underway) void run()
    return promise
  }
}

/** The store said no to a statement, so nothing of it was kept. Silence would leave that open. */
const wasRefused = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (('code' in thrown && /^SQLITE_(CONSTRAINT|ERROR|TOOBIG|MISMATCH|RANGE)/.test(String(thrown.code))) ||
    wasRefused(thrown.cause))
