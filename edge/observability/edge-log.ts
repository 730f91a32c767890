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

interface LogEnv {
  LOG_LEVEL: string | null | undefined
}

export function log<Fields extends object>(
  env: LogEnv,
  level: Level,
  message: string,
  fields?: Fields & LogFields<Fields>,
): void {
  if (isLogged(env, level)) writeLine(formatLogLine(level, message, fields))
}

/** For an entry that costs something to prepare. */
export const isLogged = ({ LOG_LEVEL }: LogEnv, level: Level): boolean =>
  levels.indexOf(level) >= levels.indexOf((LOG_LEVEL ?? 'info') as Level)

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
