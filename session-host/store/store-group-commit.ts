// Group commit: concurrent commits of a host become one. Several sessions often change the same pages, and a server
// takes one writer at a time: many at once delay each other, in the worst case until all of them time out.

/** Calls in one commit; further calls wait for the next. */
const MAX_CALLS = 64

interface Call<Item> {
  items: Item[]
  resolve(): void
  reject(reason: unknown): void
}

/**
 * Calls that arrive while `send` runs, or before `waitForMore` resolves, join its next call. Each call's items are committed or
 * refused separately: if the store refuses a commit, its calls are sent again one by one.
 */
export function createGroupCommit<Item>(
  send: (items: Item[]) => Promise<void>,
  waitForMore?: () => Promise<void>,
): (items: Item[]) => Promise<void> {
  const waiting: Call<Item>[] = []
  let running = false

  async function commitCalls(calls: Call<Item>[]): Promise<void> {
    try {
      await send(calls.flatMap(({ items }) => items))
      for (const call of calls) call.resolve()
    } catch (error) {
      if (calls.length > 1 && wasRefused(error)) for (const call of calls) await commitCalls([call])
      else for (const call of calls) call.reject(error)
    }
  }

  async function commitWaiting(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      if (waitForMore) await waitForMore()
      await commitCalls(waiting.splice(0, MAX_CALLS))
    }
    running = false
  }

  return (items) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push({ items, resolve, reject })
    if (!running) void commitWaiting()
    return promise
  }
}

/** The store refused a statement, so nothing of the commit was stored. After a timeout that would be unknown. */
const wasRefused = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && /^SQLITE_(CONSTRAINT|ERROR|TOOBIG|MISMATCH|RANGE)/.test(String(error.code))) ||
    wasRefused(error.cause))
