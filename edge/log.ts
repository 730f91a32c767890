// Writes the log: one JSON line for each entry, never with payloads, tokens, secrets, message text or query strings.

import type { Env } from './env.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]

type Facts = Record<string, string | number | boolean | undefined>

let write: (line: string) => void = console.log

/** Where lines go on a runtime whose console is not the place. */
export function writeLinesBy(writer: (line: string) => void): void {
  write = writer
}

export function log(env: Pick<Env, 'LOG_LEVEL'>, level: Level, what: string, facts: Facts = {}): void {
  const threshold = levels.indexOf((env.LOG_LEVEL ?? 'info') as Level)
  if (levels.indexOf(level) >= threshold) write(toLine(level, what, facts))
}

export const toLine = (level: Level, what: string, facts: Facts = {}): string =>
  JSON.stringify({ at: new Date().toISOString(), level, what, ...facts })

/**
 * The part of an error that may be logged. Errors of the database layer quote statements with their values, so only the
 * innermost cause is used.
 */
export function reasonOf(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  return innermost instanceof Error ? `${innermost.name}: ${innermost.message}` : typeof innermost
}
