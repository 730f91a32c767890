// Group commit: concurrent commits of a host become one. Several sessions often change the same pages, and a server
// takes one writer at a time: many at once delay each other, in the worst case until all of them time out.

/** Calls in one commit; further calls wait for the next. */
const CALLS_A_COMMIT = 64

interface Call<Item> {
  items: Item[]
  resolve(): void
  reject(reason: unknown): void
}

/**
 * Calls that arrive while `send` runs, or before `gathered` resolves, join its next call. Each call's items are committed or
 * refused separately: if the store refuses a commit, its calls are sent again one by one.
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

/** The store refused a statement, so nothing of the commit was kept. After a timeout that would be unknown. */
const wasRefused = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (('code' in thrown && /^SQLITE_(CONSTRAINT|ERROR|TOOBIG|MISMATCH|RANGE)/.test(String(thrown.code))) ||
    wasRefused(thrown.cause))
