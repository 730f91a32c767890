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
