// Long work of this thread in short turns: others have at least half of the time between them.

import { setTimeout as wait, setImmediate as yieldTurn } from 'node:timers/promises'

/** Milliseconds of work in one turn of the event loop, unless one step alone takes longer. */
const MAX_WORK = 4
/** Milliseconds. A rest is as long as the turn before it. */
const MAX_REST = 20

export class LoopShare {
  #began = performance.now()

  /** To be called between steps: undefined while the turn may go on. */
  rest(): Promise<unknown> | undefined {
    const worked = performance.now() - this.#began
    return worked < MAX_WORK ? undefined : this.#pause(Math.min(Math.round(worked), MAX_REST))
  }

  /** To be called when something else was waited for. */
  begin(): void {
    this.#began = performance.now()
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms)
    // What came meanwhile goes first.
    await yieldTurn()
    this.begin()
  }
}

/** Runs `step` for each item in turns. */
export async function runInTurns<Item>(items: Iterable<Item>, step: (item: Item) => void): Promise<void> {
  const share = new LoopShare()
  for (const item of items) {
    step(item)
    await share.rest()
  }
}
