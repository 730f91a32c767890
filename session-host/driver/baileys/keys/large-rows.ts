// The large lines of an import are read in a thread of their own: one of 4 MiB takes half a second, which the sessions of the host would wait.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { locateProgram } from '@msgnet/shared/node/locate-program.ts'
import type { ReadRow } from './imported-row.ts'

/** A line as it came, or why it is none. */
export type ReadLine = ReadRow | { problem: string }

/** What the objects of the largest line take, twice. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }

export class LargeRows {
  #worker: Worker | undefined

  /** One at a time. */
  async read(line: Uint8Array): Promise<ReadLine> {
    this.#worker ??= new Worker(locateProgram('./large-rows-worker.ts', import.meta.url), { resourceLimits })
    this.#worker.postMessage(line)
    const [read] = await once(this.#worker, 'message')
    return read as ReadLine
  }

  close(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}
