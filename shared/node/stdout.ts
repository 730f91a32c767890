// Writes whole lines to stdout. A reader that is slow or gone, or a full disk, costs lines, and never stops or ends the process.

import { writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogOutput, type LogOutput } from '../log-output.ts'

const RETRY_MS = 50
const END_WITHIN_MS = 1000

export interface Stdout extends Pick<LogOutput, 'write'> {
  /** Resolves when all lines are written, or after a second. */
  end(): Promise<void>
}

/** `describeLoss`: the line that says how many were lost. */
export function openStdout(describeLoss: (lines: number) => string): Stdout {
  // Node makes a pipe non-blocking when this is read, so a full one fails instead of stopping the process.
  const { fd } = process.stdout
  const output = createLogOutput({
    writeBytes: (bytes) => writeSync(fd, bytes),
    scheduleRetry: (work) => void setTimeout(work, RETRY_MS).unref(),
    describeDropped: describeLoss,
  })
  return {
    write: output.write,
    async end() {
      for (const until = performance.now() + END_WITHIN_MS; !output.flush(); await wait(RETRY_MS))
        if (performance.now() > until) return
    },
  }
}
