// Writes whole lines to stdout. A reader that is slow or gone, or a full disk, costs lines, and never stops or ends the process.

import { writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { LogOutput } from '../log-output.ts'

const RETRY_MS = 50
const MAX_END_MS = 1000

/** `describeDropped`: the line that says how many were dropped. */
export function openStdout(describeDropped: (lines: number) => string) {
  // Node makes a pipe non-blocking when this is read, so a full one fails instead of stopping the process.
  const { fd } = process.stdout
  const output = new LogOutput({
    writeBytes: (bytes) => writeSync(fd, bytes),
    scheduleRetry: (work) => void setTimeout(work, RETRY_MS).unref(),
    describeDropped,
  })
  return {
    write: (lines: string | Uint8Array) => output.write(lines),
    /** Resolves when all lines are written, or after a second. */
    async end(): Promise<void> {
      for (const until = performance.now() + MAX_END_MS; !output.flush(); await wait(RETRY_MS))
        if (performance.now() > until) return
    },
  }
}
