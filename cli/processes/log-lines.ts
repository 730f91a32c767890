// Writes JSON lines to stdout for what collects them, such as journald. A reader that is slow or gone costs lines, never the process.

import { openStdout } from '../../shared/node/stdout.ts'

export interface LogLines {
  /** A line that is not JSON becomes the `msg` of an entry. */
  write(line: string): void
  /** Resolves when all lines are written, or after a second. */
  end(): Promise<void>
}

export function openLogLines(): LogLines {
  const { write, end } = openStdout(formatLoss)
  return { write: (line) => write(`${line.startsWith('{') ? line : formatEntry('info', line)}\n`), end }
}

export const formatLoss = (lines: number): string => formatEntry('warn', 'log lines dropped', { lines })

const formatEntry = (level: string, msg: string, fields: object = {}): string =>
  JSON.stringify({ time: new Date().toISOString(), level, msg, ...fields })
