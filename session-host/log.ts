// The log: JSON lines on stdout, and nothing else there. No payloads, tokens, keys or message text ever enter it.

import { type Logger, pino } from 'pino'

export type Log = Logger

export const makeLog = (level: string): Log =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorLine } })

/** Errors of the library carry the network's nodes as properties: only these two are kept. */
const errorLine = (thrown: unknown) =>
  thrown instanceof Error ? { message: thrown.message, stack: thrown.stack } : { message: String(thrown) }

export const silentLog = (): Log => pino({ level: 'silent' })

/** The message of whatever was thrown; never its payload. */
export const reason = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/**
 * Libraries write to the console; from here on that goes into the log. libsignal hands whole sessions, private keys
 * included, to console.info and console.warn: only a leading string is kept, and nothing that is an object.
 */
export function captureConsole(log: Log): void {
  const line = (first: unknown) => (typeof first === 'string' ? first : 'an object was printed')
  console.log = console.info = console.debug = (first: unknown) => log.debug({ from: 'console' }, line(first))
  console.warn = (first: unknown) => log.debug({ from: 'console' }, line(first))
  console.error = (first: unknown) => log.warn({ from: 'console' }, line(first))
}
