// Writes JSON lines to stdout for what collects them, such as journald. A reader that is slow or gone costs lines, never the process.

import { openStdout } from '@msgnet/shared/node/stdout.ts'

export function openLogLines() {
  const stdout = openStdout(formatLoss)
  return {
    /** A line that is not JSON becomes the `msg` of an entry. */
    write: (line: string) => stdout.write(`${line.startsWith('{') ? line : formatEntry('info', line)}\n`),
    /** Resolves when all lines are written, or after a second. */
    end: stdout.end,
  }
}

export const formatLoss = (lines: number): string => formatEntry('warn', 'log lines dropped', { lines })

const formatEntry = (level: string, msg: string, fields: object = {}): string =>
  JSON.stringify({ time: new Date().toISOString(), level, msg, ...fields })
