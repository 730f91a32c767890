// The log writes JSON lines to stdout, and nothing else is written there. It has no payloads, tokens, keys or message text.

import { openStdout } from '@msgnet/shared/node/stdout.ts'
import { type Logger, pino } from 'pino'

export type Log = Logger

export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: serializeError },
    },
    // pino's own destination ends the process if the disk is full, and stops every session while a pipe is.
    openStdout(describeDroppedLines),
  )

const describeDroppedLines = (lines: number): string =>
  JSON.stringify({
    level: pino.levels.values.warn,
    time: new Date().toISOString(),
    lines,
    msg: 'log lines dropped',
  })

/** Errors of the library have the network's nodes as properties, so only these two fields are logged. */
const serializeError = (error: unknown) =>
  error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }

export const createSilentLog = (): Log => pino({ level: 'silent' })

/** The message of a thrown value, never its payload. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/**
 * Sends the console output of libraries to the log. libsignal passes whole sessions, private keys
 * included, to console.info and console.warn: only a leading string is logged, never an object.
 */
export function captureConsole(log: Log): void {
  const toLine = (first: unknown) => (typeof first === 'string' ? first : 'an object was printed')
  console.log =
    console.info =
    console.debug =
      (first: unknown) => log.debug({ from: 'console' }, toLine(first))
  console.warn = (first: unknown) => log.debug({ from: 'console' }, toLine(first))
  console.error = (first: unknown) => log.warn({ from: 'console' }, toLine(first))
}
