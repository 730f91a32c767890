// A lane: what is put into it runs one after another, whatever became of the one before.

export type Lane = <Result>(work: () => Promise<Result>) => Promise<Result>

export function makeLane(): Lane {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }
}

/** A lane for each name, there for as long as anything is in it. */
export function makeLanes(): <Result>(name: string, work: () => Promise<Result>) => Promise<Result> {
  const lanes = new Map<string, { lane: Lane; users: number }>()
  return async (name, work) => {
    const entry = lanes.get(name) ?? { lane: makeLane(), users: 0 }
    lanes.set(name, entry)
    entry.users += 1
    try {
      return await entry.lane(work)
    } finally {
      entry.users -= 1
      if (entry.users === 0) lanes.delete(name)
    }
  }
}
