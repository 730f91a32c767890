// Writes the log: one JSON line for each entry, never with payloads, tokens, secrets, message text or query strings.

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]

type Loggable = string | number | boolean | undefined

/** `error` is what was caught; the line has the part of it that may be logged. */
type LogFields<Fields> = { [Name in keyof Fields]: Name extends 'error' ? unknown : Loggable }

let writeLine: (line: string) => void = console.log

/** For a runtime whose log is not the console. */
export function setLogWriter(writer: (line: string) => void): void {
  writeLine = writer
}

export function log<Fields extends object>(
  { LOG_LEVEL }: { LOG_LEVEL: string | null | undefined },
  level: Level,
  message: string,
  fields?: Fields & LogFields<Fields>,
): void {
  const threshold = levels.indexOf((LOG_LEVEL ?? 'info') as Level)
  if (levels.indexOf(level) >= threshold) writeLine(formatLogLine(level, message, fields))
}

export const formatLogLine = (level: Level, message: string, fields: object = {}): string =>
  JSON.stringify({
    time: new Date().toISOString(),
    level,
    msg: message,
    ...fields,
    ...('error' in fields && { error: { message: describeError(fields.error) } }),
  })

/**
 * The part of an error that may be logged. Errors of the database layer quote statements with their values, so only the
 * innermost cause is used.
 */
export function describeError(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  return innermost instanceof Error ? `${innermost.name}: ${innermost.message}` : typeof innermost
}
