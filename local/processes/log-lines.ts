// Writes JSON lines to stdout for what collects them, such as journald. A reader that is slow or gone costs lines, never the process.

import { writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { makeLogOutput } from '../../shared/log-output.ts'

const RETRY_MS = 50
const END_WITHIN_MS = 1000

export interface LogLines {
  /** A line that is not JSON becomes the `what` of an entry. */
  write(line: string): void
  /** Resolves when all lines are written, or after a second. */
  end(): Promise<void>
}

export function openLogLines(): LogLines {
  // Node makes a pipe non-blocking when this is read, so a full one fails instead of stopping the process.
  const { fd } = process.stdout
  const output = makeLogOutput({
    put: (bytes) => writeSync(fd, bytes),
    retry: (work) => void setTimeout(work, RETRY_MS).unref(),
    describeLoss: toLossEntry,
  })
  return {
    write: (line) => output.write(`${line.startsWith('{') ? line : toEntry('info', line)}\n`),
    async end() {
      for (const until = performance.now() + END_WITHIN_MS; !output.flush(); await wait(RETRY_MS))
        if (performance.now() > until) return
    },
  }
}

export const toLossEntry = (lines: number): string => toEntry('warn', 'log lines were lost', { lines })

const toEntry = (level: string, what: string, facts: object = {}): string =>
  JSON.stringify({ at: new Date().toISOString(), level, what, ...facts })
