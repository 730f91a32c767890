// A mutex runs work one at a time, in order, also after work that failed.

export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const current = last.then(work, work)
    last = current.catch(() => undefined)
    return current
  }
}

/** A mutex for each name, in memory while work holds it or waits for it. */
export function createKeyedMutex(): <Result>(name: string, work: () => Promise<Result>) => Promise<Result> {
  const mutexes = new Map<string, { mutex: Mutex; users: number }>()
  return async (name, work) => {
    const entry = mutexes.get(name) ?? { mutex: createMutex(), users: 0 }
    mutexes.set(name, entry)
    entry.users += 1
    try {
      return await entry.mutex(work)
    } finally {
      entry.users -= 1
      if (entry.users === 0) mutexes.delete(name)
    }
  }
}
